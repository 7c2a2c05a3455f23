/** Two processes and one data folder: one serves, the others report why they cannot. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspectFolder } from './database.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'

/** Servers that are started at the same moment. */
const RIVALS = 4
const REFUSAL = 'Another process already uses'

/** Starts several at once, tries commands beside the one that serves, kills it, starts the next. */
export async function verifySecondProcesses(bench: Bench): Promise<Report> {
  const folder = join(bench.home, 'data')
  const model = join(bench.home, 'model')
  mkdirSync(model)
  writeFileSync(join(model, 'model.xml'), '<Model/>')
  const figures = { rounds: 0, served: 0, refused: 0, 'commands refused': 0, takeovers: 0 }
  const faults: string[] = []
  for (let round = 1; round <= bench.rounds; round++) {
    const rivals = Array.from(
      { length: RIVALS },
      () => new ServerProcess([bench.executable], folder, ['--demo']),
    )
    try {
      const ends = await Promise.allSettled(rivals.map(({ listening }) => listening))
      const served = ends.filter(({ status }) => status === 'fulfilled').length
      const refused = ends.filter(
        (end) => end.status === 'rejected' && String(end.reason).includes(REFUSAL),
      ).length
      figures.served += served
      figures.refused += refused
      if (served !== 1 || refused !== RIVALS - 1)
        faults.push(`round ${round}: ${served} serve, ${refused} were refused: ${tell(ends)}`)
      const beside = await runBeside(bench.executable, folder, model)
      figures['commands refused'] += beside.refused
      faults.push(...beside.faults)
    } finally {
      await Promise.all(rivals.map((rival) => rival.kill()))
    }
    const next = new ServerProcess([bench.executable], folder, ['--demo'])
    try {
      await next.listening
      figures.takeovers++
      faults.push(...inspectFolder(folder))
    } catch (error) {
      faults.push(`round ${round}: ${String(error)}`)
    } finally {
      await next.kill()
    }
    figures.rounds++
  }
  return { figures: printFigures(figures), faults }
}

const tell = (ends: readonly PromiseSettledResult<string>[]): string =>
  ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.value)).join('; ')

/** Commands that write are refused beside a server; one that only plans is not. */
async function runBeside(
  executable: string,
  folder: string,
  model: string,
): Promise<{ refused: number; faults: string[] }> {
  const commands = [
    { words: ['deploy', model], exitCode: 1 },
    { words: ['user', 'lock', 'bo'], exitCode: 1 },
    { words: ['keys', 'rotate'], exitCode: 1 },
    { words: ['deploy', model, '--dry-run'], exitCode: 0 },
  ]
  const faults: string[] = []
  let refused = 0
  for (const { words, exitCode } of commands) {
    const end = await runToEnd([executable, ...words, '--data', folder])
    const isRefused = end.exitCode === 1 && end.stderr.includes(REFUSAL)
    if (isRefused) refused++
    if (end.exitCode !== exitCode || isRefused !== (exitCode === 1))
      faults.push(`${words.join(' ')}: exit code ${end.exitCode}, ${end.stderr.trim()}`)
  }
  return { refused, faults }
}
