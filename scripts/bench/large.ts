/** A deploy of a large model into an empty data folder, and starts with it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/executable.ts'
import { planLargeModel } from './large-model.ts'
import { measureLargeServing } from './large-serving.ts'
import { startServer } from './processes.ts'

const SIZE = { entities: 200, views: 400 }
const DEPLOYS = 3
const STARTS = 5

const median = (times: readonly number[]): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN).toFixed(0)

const listed = (times: readonly number[]): string => times.map((time) => time.toFixed(0)).join(' ')

/** Runs a command to its end, which must be good; gives its milliseconds. */
async function timeCommand(command: string[]): Promise<number> {
  const startedAt = performance.now()
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`It failed: ${command.join(' ')}`)
  return performance.now() - startedAt
}

/** Times of deploys into empty folders, of a deploy of the same again, and of starts. */
export async function measureLarge(executable: string): Promise<string[]> {
  using home = temporaryFolder()
  const model = join(home.path, 'model')
  mkdirSync(model)
  for (const { name, body } of planLargeModel(SIZE)) writeFileSync(join(model, name), body)
  const deploys: number[] = []
  const folderOf = (at: number): string => join(home.path, `data-${at}`)
  const deploy = (at: number): Promise<number> =>
    timeCommand([executable, 'deploy', model, '--data', folderOf(at)])
  for (let at = 0; at < DEPLOYS; at++) deploys.push(await deploy(at))
  const again = await deploy(0)
  const serve = [executable, 'serve', '--port', '0', '--data', folderOf(0)]
  // The first start makes the user and the keys of an empty folder.
  await (await startServer(serve))[Symbol.asyncDispose]()
  const starts: number[] = []
  const answers: number[] = []
  for (let at = 0; at < STARTS; at++) {
    const startedAt = performance.now()
    await using server = await startServer(serve)
    starts.push(server.startedIn)
    const ready = await fetch(`http://127.0.0.1:${server.port}/health/ready`)
    if (!ready.ok) throw new Error(await ready.text())
    answers.push(performance.now() - startedAt)
  }
  return [
    `large   ${SIZE.entities} entities, ${SIZE.views} views: deployed in ${median(deploys)} ms ` +
      `(${listed(deploys)}), wanted under 5000; the same again in ${again.toFixed(0)} ms`,
    `large   listens after ${median(starts)} ms (${listed(starts)}), first answer after ` +
      `${median(answers)} ms (${listed(answers)}), wanted under 300`,
    ...(await measureLargeServing(executable, SIZE)),
  ]
}
