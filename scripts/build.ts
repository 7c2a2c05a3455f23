/** Makes the executable: `bun scripts/build.ts [--target NAME] [--out FILE]`. */
import type { BunPlugin } from 'bun'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { BROTLI_PLUGIN } from '../src/vendor/brotli-bundle.ts'
import { BWIP_PLUGIN } from '../src/vendor/bwip-bundle.ts'
import { planLibsqlPlugin } from '../src/vendor/libsql-bundle.ts'
import { LIBXML_PLUGIN } from '../src/vendor/libxml-bundle.ts'
import { MAIL_PLUGIN } from '../src/vendor/nodemailer-bundle.ts'
import { MIGRATIONS } from '../src/store/engine-tables.ts'
import { promiseTexts } from '../src/store/file/compare-tables.ts'
import { bundleClient } from '../src/client/bundle/bundle.ts'

const ROOT = join(import.meta.dir, '..')

/** Targets of the build, with the native libSQL package that each takes. */
const LIBSQL_PACKAGES = {
  'linux-x64': '@libsql/linux-x64-gnu',
  'linux-x64-musl': '@libsql/linux-x64-musl',
  'linux-arm64': '@libsql/linux-arm64-gnu',
  'linux-arm64-musl': '@libsql/linux-arm64-musl',
  'darwin-x64': '@libsql/darwin-x64',
  'darwin-arm64': '@libsql/darwin-arm64',
  'windows-x64': '@libsql/win32-x64-msvc',
} as const

export type BuildTarget = keyof typeof LIBSQL_PACKAGES

/** All targets. */
export const TARGETS = Object.keys(LIBSQL_PACKAGES) as readonly BuildTarget[]

/** The reason why a target cannot be built on this machine; undefined where it can. */
export function findObstacle(target: BuildTarget): string | undefined {
  const nativePackage = LIBSQL_PACKAGES[target]
  if (!existsSync(join(ROOT, 'node_modules', nativePackage)))
    return `${nativePackage} is not installed; for other targets: bun install --cpu='*' --os='*'`
  return undefined
}

/** The target of the machine that this runs on. Throws where the engine has none. */
export function hostTarget(): BuildTarget {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const musl = system === 'linux' && existsSync('/etc/alpine-release') ? '-musl' : ''
  const name = `${system}-${process.arch}${musl}`
  if (!isTarget(name)) throw new Error(`No executable can be built on ${name}`)
  return name
}

const isTarget = (name: string): name is BuildTarget => name in LIBSQL_PACKAGES

/** The target of a build by default; the machine's own is `dist/appengine`. */
export function executablePath(target: BuildTarget = hostTarget()): string {
  const suffix = target === hostTarget() ? '' : `-${target}`
  return join(ROOT, 'dist', `appengine${suffix}${target.startsWith('windows') ? '.exe' : ''}`)
}

/** Name of the sources of an executable: the same sources give the same name. */
function nameBuild(): string {
  // The client's types of the wire are made of these sources, and go into nothing.
  const sources = [...new Bun.Glob('src/**/*').scanSync(ROOT)]
    .filter((file) => !file.endsWith('generated.d.ts'))
    .sort()
  const hash = createHash('sha256').update(Bun.version)
  for (const file of [...sources, 'package.json', 'bun.lock']) {
    hash.update(`\n${file}\n`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/** Parts of a database of each kind, for `isKnownWhole` of the store. */
const planSchemas = () => ({
  engine: promiseTexts(MIGRATIONS.engine),
  state: promiseTexts(MIGRATIONS.state),
})

/** Builds the executable and resolves to its path. Throws with the bundler's messages. */
export async function buildExecutable(
  target: BuildTarget = hostTarget(),
  outfile = executablePath(target),
): Promise<string> {
  const obstacle = findObstacle(target)
  if (obstacle !== undefined) throw new Error(obstacle)
  mkdirSync(dirname(outfile), { recursive: true })
  // Source maps are in the executable and are put beside it too, where nobody needs them.
  const scratch = mkdtempSync(join(dirname(outfile), '.build-'))
  try {
    const made = join(scratch, basename(outfile))
    await bundle(target, made)
    if (needsSignature(target) && process.platform === 'darwin') await sign(made)
    renameSync(made, outfile)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return outfile
}

/** Names of the client's files to the bundler: no path of this machine goes into the executable. */
const CLIENT_FILE = 'client-file'

/** The client's files, packed, in the place of what the sources bundle at a start. */
async function planClientPlugin(): Promise<BunPlugin> {
  const { files, styleHashes } = await bundleClient()
  const packed = new Map(
    files.map(({ path, bytes }) => [`${path}.gz`, gzipSync(bytes, { level: 9 })]),
  )
  const imports = files.map(
    ({ path }, at) => `import file${at} from '${CLIENT_FILE}:${path}.gz' with { type: 'file' }\n`,
  )
  const members = files.map(({ path }, at) => `${JSON.stringify(path)}: file${at}`)
  const contents =
    `${imports.join('')}export const EMBEDDED = { styleHashes: ${JSON.stringify(styleHashes)}, ` +
    `files: { ${members.join(', ')} } }\n`
  return {
    name: 'client',
    setup(build) {
      build.onResolve({ filter: /^client-file:/ }, ({ path }) => ({
        path: path.slice(CLIENT_FILE.length + 1),
        namespace: CLIENT_FILE,
      }))
      build.onLoad({ filter: /.*/, namespace: CLIENT_FILE }, ({ path }) => ({
        contents: packed.get(path) ?? '',
        loader: 'file',
      }))
      build.onLoad({ filter: /[\\/]client[\\/]front[\\/]embedded\.ts$/ }, () => ({
        contents,
        loader: 'js',
      }))
    },
  }
}

/** Files of Swagger UI are packed; its routes undo that where a name says so. */
const SWAGGER_PLUGIN: BunPlugin = {
  name: 'swagger',
  setup(build) {
    build.onResolve({ filter: /^swagger-ui-dist\/.*\.(?:js|css)$/ }, ({ path }) => ({
      path: `${path}.gz`,
      namespace: 'swagger',
    }))
    build.onLoad({ filter: /.*/, namespace: 'swagger' }, ({ path }) => ({
      contents: gzipSync(readFileSync(join(ROOT, 'node_modules', path.slice(0, -'.gz'.length))), {
        level: 9,
      }),
      loader: 'file',
    }))
  },
}

async function bundle(target: BuildTarget, outfile: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, 'src', 'main.ts')],
    root: ROOT,
    compile: { target: `bun-${target}`, outfile },
    plugins: [
      planLibsqlPlugin(LIBSQL_PACKAGES[target]),
      MAIL_PLUGIN,
      BROTLI_PLUGIN,
      BWIP_PLUGIN,
      LIBXML_PLUGIN,
      SWAGGER_PLUGIN,
      await planClientPlugin(),
    ],
    minify: { whitespace: true, syntax: true, identifiers: false },
    // A stack in the log names files and lines of the sources.
    sourcemap: 'inline',
    // Compiled ahead of time: parsing the bundle would be a quarter of a start.
    format: 'esm',
    bytecode: true,
    // What is imported late stays on the disk until then.
    splitting: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      ENGINE_BUILD: JSON.stringify(nameBuild()),
      ENGINE_SCHEMAS: JSON.stringify(JSON.stringify(planSchemas())),
    },
    throw: false,
  })
  if (!result.success) throw new Error(result.logs.map(String).join('\n') || 'The build failed')
}

/**
 * Adding the bundle breaks the signature that Bun's runtime bears, and macOS ends a program whose
 * signature is broken. The bundler signs again for arm64 alone.
 */
export const needsSignature = (target: BuildTarget): boolean => target === 'darwin-x64'

const SIGN = ['codesign', '--force', '--sign', '-']

/** An ad hoc signature: it says that the file is whole, not whose it is. */
async function sign(file: string): Promise<void> {
  const child = Bun.spawn([...SIGN, file], { stdio: ['ignore', 'inherit', 'inherit'] })
  if ((await child.exited) !== 0) throw new Error(`${file} cannot be signed`)
}

function readFlag(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

if (import.meta.main) {
  const target = readFlag('target') ?? hostTarget()
  if (!isTarget(target)) {
    console.error(`Unknown target ${target}; one of ${Object.keys(LIBSQL_PACKAGES).join(' ')}`)
    process.exit(2)
  }
  const outfile = await buildExecutable(target, readFlag('out'))
  const bytes = Bun.file(outfile).size
  console.log(`${outfile} (${target}, ${(bytes / 1024 / 1024).toFixed(0)} MiB)`)
  if (needsSignature(target) && process.platform !== 'darwin')
    console.log(`Sign it on a Mac before its first start: ${SIGN.join(' ')} ${outfile}`)
}
