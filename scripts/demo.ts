/**
 * `bun run demo`: installs, builds the executable and starts it with the demo application on
 * ./data/local. Runs before anything is installed, so it uses nothing but Bun. Arguments go to
 * `appengine serve` (`--port 9000`).
 */
import { join } from 'node:path'
import { runStep } from './step.ts'

const ROOT = join(import.meta.dir, '..')

async function serveDemo(executable: string): Promise<number> {
  const server = Bun.spawn([executable, 'serve', '--demo', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // Ctrl+C reaches the server by itself; a signal to this process alone is handed on.
  process.on('SIGTERM', () => server.kill('SIGTERM'))
  process.on('SIGINT', () => server.kill('SIGINT'))
  return server.exited
}

const installed = await runStep('install', [process.execPath, 'install', '--frozen-lockfile'])
if (installed.exitCode !== 0) process.exit(installed.exitCode)
const { buildExecutable } = await import('./build.ts')
const executable = await buildExecutable()
process.exit(await serveDemo(executable))
