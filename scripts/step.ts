/** One command of a script, its output shown as it comes and kept. Uses nothing but Bun. */
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

export interface StepResult {
  exitCode: number
  output: string
}

async function passOn(stream: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    to.write(chunk)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** Runs `command` in the project's folder under a heading; never throws for its exit code. */
export async function runStep(name: string, command: string[]): Promise<StepResult> {
  console.log(`== ${name}`)
  // Without colours: what is printed is also read.
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const child = Bun.spawn(command, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, exitCode] = await Promise.all([
    passOn(child.stdout, process.stdout),
    passOn(child.stderr, process.stderr),
    child.exited,
  ])
  return { exitCode, output: output + errors }
}
