/**
 * The executable as its users meet it: built when its sources are newer, run as a process of its
 * own.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExecutable, executablePath } from '../../scripts/build.ts'

const ROOT = join(import.meta.dir, '../..')

/** The sources of the executable. */
const MADE_OF = ['src', 'data/demo', 'scripts/build.ts', 'package.json', 'bun.lock']

function newestChange(path: string): number {
  const facts = statSync(path)
  if (!facts.isDirectory()) return facts.mtimeMs
  return Math.max(facts.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}

function isFresh(executable: string): boolean {
  const built = statSync(executable, { throwIfNoEntry: false })
  return (
    built !== undefined && MADE_OF.every((part) => newestChange(join(ROOT, part)) <= built.mtimeMs)
  )
}

let building: Promise<string> | undefined

/** The path of `dist/appengine`, built first when something that it is made of has changed. */
export function builtExecutable(): Promise<string> {
  const executable = executablePath()
  building ??= isFresh(executable) ? Promise.resolve(executable) : buildExecutable()
  return building
}

/** A folder of its own in the machine's temporary folder, removed with `using`. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'appengine-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

export interface CommandOptions {
  /** Working folder; a command of a test never runs in the project's own. */
  cwd: string
  stdin?: string
  env?: Record<string, string>
}

/** Runs one command of the executable to its end. */
export async function runCommand(args: string[], options: CommandOptions): Promise<CommandResult> {
  const child = Bun.spawn([await builtExecutable(), ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdin: options.stdin === undefined ? 'ignore' : new Blob([options.stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

export interface ExecutableOptions {
  /**
   * Further words after `serve --port 0 --data DIR`; `['--demo']` unless told otherwise. A folder
   * without a database is given the demo as a first start with that word has filled it.
   */
  args?: string[]
  /** A port that an earlier process had; without it a free one. */
  port?: number
  /** A data folder that outlives this process; without it one is made and removed. */
  dataFolder?: string
  env?: Record<string, string>
}

/** A serving executable. `await using` stops it and removes its folder. */
export interface RunningExecutable extends AsyncDisposable {
  /** `http://127.0.0.1:12345` */
  url: string
  dataFolder: string
  pid: number
  /** The standard output so far. */
  output(): string
  errors(): string
  /** SIGTERM, then its exit code. */
  stop(): Promise<number>
  /** SIGKILL, then its end. */
  kill(): Promise<void>
}

/** Reads a stream to its end, which is `ended`; `text` is what has come so far. */
function follow(stream: ReadableStream<Uint8Array>, onText: (all: string) => void = () => {}) {
  const followed = { text: '', ended: Promise.resolve() }
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      followed.text += decoder.decode(chunk, { stream: true })
      onText(followed.text)
    }
  }
  followed.ended = read()
  return followed
}

/** Where the demo is that was made for all processes of a test run; see `saveServedDemo`. */
const SAVED_DEMO = Bun.env.TEST_DEMO
const SERVED = 'served'

let servedDemo: Promise<string> | undefined

/** Has the executable fill a folder with the demo, for processes that `TEST_DEMO` tells of it. */
export async function saveServedDemo(folder: string): Promise<string> {
  const data = join(folder, SERVED)
  mkdirSync(data)
  await using _server = await serve({ args: ['--demo'], dataFolder: data, cwd: folder })
  return data
}

/** The demo as the executable has filled it: made once a test run, else once a process. */
export function findServedDemo(): Promise<string> {
  if (SAVED_DEMO !== undefined) return Promise.resolve(join(SAVED_DEMO, SERVED))
  if (servedDemo) return servedDemo
  const home = temporaryFolder()
  process.on('exit', () => home[Symbol.dispose]())
  return (servedDemo = saveServedDemo(home.path))
}

/** Starts `appengine serve` on a free port and resolves once it says that it is listening. */
export async function startExecutable(options: ExecutableOptions = {}): Promise<RunningExecutable> {
  const { args = ['--demo'] } = options
  const folder = options.dataFolder === undefined ? temporaryFolder() : undefined
  const dataFolder = options.dataFolder ?? join(folder?.path ?? '', 'data')
  if (args.includes('--demo') && !existsSync(join(dataFolder, 'engine.db')))
    cpSync(await findServedDemo(), dataFolder, { recursive: true, force: false })
  const server = await serve({ ...options, args, dataFolder, cwd: folder?.path ?? dataFolder })
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      folder?.[Symbol.dispose]()
    },
  }
}

interface ServeOptions extends ExecutableOptions {
  args: string[]
  dataFolder: string
  cwd: string
}

async function serve({
  args,
  port = 0,
  dataFolder,
  cwd,
  env,
}: ServeOptions): Promise<RunningExecutable> {
  const words = ['serve', '--port', String(port), '--data', dataFolder, ...args]
  const child = Bun.spawn([await builtExecutable(), ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const listening = Promise.withResolvers<string>()
  const errors = follow(child.stderr)
  const output = follow(child.stdout, (all) => {
    const found = /listening on (https?:\S+)/.exec(all)?.[1]
    if (found) listening.resolve(found)
  })
  // It says why it ended only when its last words have been read.
  void Promise.all([child.exited, output.ended, errors.ended]).then(([code]) =>
    listening.reject(new Error(`The server ended with ${code}: ${output.text}${errors.text}`)),
  )
  const stop = async (): Promise<number> => {
    child.kill('SIGTERM')
    return child.exited
  }
  return {
    url: await listening.promise,
    dataFolder,
    pid: child.pid,
    output: () => output.text,
    errors: () => errors.text,
    stop,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
