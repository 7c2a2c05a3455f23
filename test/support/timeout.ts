/**
 * Loaded before every test: a test that hangs is ended, and none is judged by its time, on however
 * busy a machine. Bun reads no timeout from `bunfig.toml`, and forgets the one of a preload after
 * the first file, so each file of tests begins with setting it; lines keep their numbers.
 */
const TEST_TIMEOUT_MS = 600_000

const BEGINNING =
  "import { setDefaultTimeout as setTimeoutOfFile } from 'bun:test';" +
  `setTimeoutOfFile(${TEST_TIMEOUT_MS});`

Bun.plugin({
  name: 'test-timeout',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      contents: BEGINNING + (await Bun.file(path).text()),
      loader: 'ts',
    }))
  },
})
