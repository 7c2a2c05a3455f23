/**
 * `bun run demo`: installs, builds the executable and starts it with the demo application on
 * ./data/local, and the client beside it. Runs before anything is installed, so it uses nothing but
 * Bun. Arguments go to `appengine serve` (`--port 9000`).
 */
import { join } from 'node:path'
import { executablePath } from './build.ts'
import { runStep } from './step.ts'

const ROOT = join(import.meta.dir, '..')

async function serveDemo(executable: string): Promise<number> {
  const server = Bun.spawn([executable, 'serve', '--demo', '--client', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.on('SIGTERM', () => server.kill('SIGTERM'))
  // Ctrl+C reaches the server by itself, and a second SIGINT would end it at once: only wait.
  process.on('SIGINT', () => {})
  return server.exited
}

// The build is a process of its own: this one began before anything was installed.
for (const [name, words] of [
  ['install', ['install', '--frozen-lockfile']],
  ['build', ['scripts/build.ts']],
] as const) {
  const { exitCode } = await runStep(name, [process.execPath, ...words])
  if (exitCode !== 0) process.exit(exitCode)
}
process.exit(await serveDemo(executablePath()))
