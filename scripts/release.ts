/**
 * Makes a release: `bun scripts/release.ts [--targets NAME,NAME] [--key FILE] [--out DIR]`. An
 * executable of each target, SHA256SUMS, a bill of materials, the notes, and signatures where there
 * is a key. The same sources make the same bytes.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  buildExecutable,
  type BuildTarget,
  findObstacle,
  needsSignature,
  TARGETS,
} from './build.ts'
import { planMaterials } from './release/materials.ts'
import { findNotes } from './release/notes.ts'
import facts from '../package.json' with { type: 'json' }

const ROOT = join(import.meta.dir, '..')

/** Largest executable, in bytes: what is above it was added without being looked at. */
export const EXECUTABLE_BYTES_MAX = 162 * 1024 * 1024

export interface ReleaseOptions {
  /** Where the files go; it is emptied first. */
  folder: string
  /** All that can be built on this machine, where it is left out. */
  targets?: readonly BuildTarget[]
  /** Secret key of minisign: with a passphrase it asks for that. */
  key?: string
}

/** The reason why a target is not of the release; undefined for one that is. */
const findReason = (target: BuildTarget): string | undefined =>
  needsSignature(target) && process.platform !== 'darwin'
    ? 'only a Mac can sign it, and macOS runs it only when it is signed'
    : findObstacle(target)

/** A finished release: its files, and sentences on what it goes without. */
export interface Release {
  files: readonly string[]
  missing: readonly string[]
}

/** Makes all files of a release. Throws where a build or a signature fails. */
export async function makeRelease(options: ReleaseOptions): Promise<Release> {
  const { folder, key } = options
  const obstacles = TARGETS.map((target) => ({ target, obstacle: findReason(target) }))
  const missing = obstacles.flatMap(({ target, obstacle }) =>
    obstacle === undefined ? [] : [`${target}: ${obstacle}`],
  )
  const targets = options.targets ?? TARGETS.filter((target) => !findReason(target))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files: string[] = []
  for (const target of targets) files.push(await buildInto(folder, target))
  files.push(write(folder, `appengine-${facts.version}.cdx.json`, planMaterials(ROOT)))
  files.push(write(folder, 'NOTES.md', findNotes(readChangelog(), facts.version)))
  files.push(write(folder, 'SHA256SUMS', files.map(planSum).join('')))
  if (key === undefined) missing.push('signatures: no --key was given')
  else for (const file of [...files]) files.push(await sign(file, key))
  return { files, missing }
}

/** The name of a file is in the executable: each is built under the same one. */
async function buildInto(folder: string, target: BuildTarget): Promise<string> {
  const end = target.startsWith('windows') ? '.exe' : ''
  const built = await buildExecutable(target, join(folder, target, `appengine${end}`))
  const bytes = Bun.file(built).size
  if (bytes > EXECUTABLE_BYTES_MAX)
    throw new Error(`${target} has ${bytes} bytes, over the ${EXECUTABLE_BYTES_MAX} of a release`)
  const file = join(folder, `appengine-${facts.version}-${target}${end}`)
  renameSync(built, file)
  rmSync(join(folder, target), { recursive: true })
  return file
}

const readChangelog = (): string => readFileSync(join(ROOT, '.github/CHANGELOG.md'), 'utf8')

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

/** A line as `sha256sum --check` reads it. */
const planSum = (file: string): string =>
  `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`

async function sign(file: string, key: string): Promise<string> {
  const comment = `appengine ${facts.version}: ${basename(file)}`
  const words = ['minisign', '-S', '-s', key, '-t', comment, '-c', comment, '-m', file]
  const child = Bun.spawn(words, { stdio: ['inherit', 'inherit', 'inherit'] })
  if ((await child.exited) !== 0) throw new Error(`${file} could not be signed`)
  return `${file}.minisig`
}

const isTarget = (name: string): name is BuildTarget => TARGETS.some((target) => target === name)

function readTargets(given: string): BuildTarget[] {
  return given.split(',').map((name) => {
    if (!isTarget(name)) throw new Error(`Unknown target ${name}; one of ${TARGETS.join(' ')}`)
    const obstacle = findReason(name)
    if (obstacle !== undefined) throw new Error(`${name}: ${obstacle}`)
    return name
  })
}

if (import.meta.main) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { targets: text, key: text, out: text } })
  if (values.key !== undefined && !existsSync(values.key))
    throw new Error(`There is no key ${values.key}; minisign -G makes one`)
  const { files, missing } = await makeRelease({
    folder: values.out ?? join(ROOT, 'dist', 'release'),
    ...(values.targets !== undefined && { targets: readTargets(values.targets) }),
    ...(values.key !== undefined && { key: values.key }),
  })
  for (const file of files)
    console.log(`${(Bun.file(file).size / 1024 / 1024).toFixed(1).padStart(7)} MiB  ${file}`)
  for (const sentence of missing) console.log(`without ${sentence}`)
}
