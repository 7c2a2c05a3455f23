/** One command of a script, its output shown and kept. Uses nothing but Bun. */
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

export interface StepResult {
  exitCode: number
  output: string
}

export interface StepOptions {
  /**
   * True when output is shown as it comes; else it comes whole at the end, for steps side by side.
   */
  show?: 'live' | 'whole'
  /** Set besides what this process has. */
  env?: Record<string, string>
}

async function passOn(
  stream: ReadableStream<Uint8Array>,
  to: NodeJS.WriteStream | undefined,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    to?.write(chunk)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** Runs `command` in the project's folder under a heading; never throws for its exit code. */
export async function runStep(
  name: string,
  command: string[],
  options: StepOptions = {},
): Promise<StepResult> {
  const isLive = options.show !== 'whole'
  if (isLive) console.log(`== ${name}`)
  // Without colours: what is printed is also read.
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...options.env }
  const child = Bun.spawn(command, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, exitCode] = await Promise.all([
    passOn(child.stdout, isLive ? process.stdout : undefined),
    passOn(child.stderr, isLive ? process.stderr : undefined),
    child.exited,
  ])
  if (!isLive) console.log(`== ${name}\n${output}${errors}`)
  return { exitCode, output: output + errors }
}
