/** Guides (`src/model/guides`) as scripts: their blocks are run by a shell, in order. */
import { builtExecutable } from './executable.ts'

/** A fenced block: its language, what stands beside it, and its lines. */
interface Block {
  language: string
  info: string
  text: string
}

const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm

/** The fenced blocks of a page, in order. */
export const listBlocks = (page: string): Block[] =>
  [...page.matchAll(FENCE)].map(([, language = '', info = '', text = '']) => ({
    language,
    info: info.trim(),
    text,
  }))

/** A run of a guide: what the shell printed, block by block, and whether it came to the end. */
export interface GuideRun {
  /** The output of each `sh` block, by its place among all blocks. */
  outputs: ReadonlyMap<number, string>
  exitCode: number
  errors: string
}

const MARK = '=====block'

/**
 * Runs a page in a folder: `sh` as it is, `sh server` behind the script until its end, and a block
 * with `file=PATH` written there. What is written while the server watches is deployed before the
 * next block. The address 127.0.0.1:8080 is that of a free port.
 */
export async function runGuide(page: string, folder: string): Promise<GuideRun> {
  const port = findFreePort()
  const blocks = listBlocks(page)
  const script = ['set -euo pipefail', `appengine() { '${await builtExecutable()}' "$@"; }`]
  let watches = false
  blocks.forEach(({ language, info, text }, at) => {
    const [, path] = /\bfile=(\S+)/.exec(info) ?? []
    if (path !== undefined) script.push(`cat > ${path} <<'GUIDE'`, `${text}GUIDE`)
    else if (language === 'sh' && info === 'server') {
      watches = text.includes('--watch')
      script.push(`(${text.trim().replace('serve', `serve --port ${port}`)}) > server.log 2>&1 &`)
      script.push('SERVER=$!; trap "pkill -P $SERVER || true; wait" EXIT')
      script.push('until grep -q "^listening" server.log; do kill -0 $SERVER; sleep 0.05; done')
    } else if (language === 'sh') {
      if (watches) script.push(DEPLOYED)
      script.push(`echo '${MARK} ${at}'`, text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`))
    }
  })
  const child = Bun.spawn(['bash', '-c', script.join('\n')], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { outputs: splitOutput(stdout), exitCode, errors }
}

/** Waits until the server has deployed what the folder holds. */
const DEPLOYED = `while plan=$(appengine deploy model --dry-run) || exit 1
do grep -q '^Nothing.* 0 new, 0 changed' <<< "$plan" && break; kill -0 $SERVER; sleep 0.05; done`

const splitOutput = (text: string): Map<number, string> =>
  new Map(
    text
      .split(`${MARK} `)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return [Number(part.slice(0, end)), part.slice(end + 1)]
      }),
  )

function findFreePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const { port } = server
  server.stop(true)
  return port
}
