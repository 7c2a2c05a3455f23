/** The bill of materials of the executable (CycloneDX 1.6), from the lock file. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import facts from '../../package.json' with { type: 'json' }

/** `["name@version", registry, { dependencies … }, "sha512-…"]`. */
type LockedPackage = [spec: string, registry: string, needs: Needs, integrity: string]

interface Needs {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}

interface Lock {
  workspaces: Record<string, Needs>
  packages: Record<string, LockedPackage>
}

/**
 * Writes the JSON of all packages that the executable may hold, each with version, checksum of its
 * archive, licence and what it needs, and of Bun, which it runs on. The same lock file gives the
 * same text: no time and no random number is in it.
 */
export function planMaterials(root: string): string {
  const lock = Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as Lock
  const found = findPackages(lock)
  const own = { ref: `pkg:generic/appengine@${facts.version}`, needs: listNeeds(lock, '') }
  const refOf = (path: string): string => purlOf(lock, path)
  const bun = { type: 'platform', 'bom-ref': `pkg:generic/bun@${Bun.version}`, name: 'bun' }
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own.ref,
        name: 'appengine',
        version: facts.version,
        licenses: [{ license: { id: facts.license } }],
      },
    },
    components: [
      { ...bun, version: Bun.version, licenses: [{ license: { id: 'MIT' } }] },
      ...found.map((path) => describe(root, lock, path)),
    ],
    dependencies: [
      { ref: own.ref, dependsOn: [bun['bom-ref'], ...own.needs.map(refOf)] },
      ...found.map((path) => ({ ref: refOf(path), dependsOn: listNeeds(lock, path).map(refOf) })),
    ],
  }
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  return `${JSON.stringify({ serialNumber: toUuid(digest), ...bill }, undefined, 2)}\n`
}

/** A UUID of a digest (RFC 9562, 5.8): the same bill has the same number. */
const toUuid = (hex: string): string =>
  `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-` +
  hex.slice(20, 32)

/** Paths in the lock of all that is needed to run, by name. */
function findPackages(lock: Lock): string[] {
  const found = new Set<string>()
  const visit = (path: string): void => {
    for (const each of listNeeds(lock, path)) {
      if (found.has(each)) continue
      found.add(each)
      visit(each)
    }
  }
  visit('')
  const byRef = new Map([...found].map((path) => [purlOf(lock, path), path]))
  return [...byRef.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, at]) => at)
}

/** Paths of what a package needs; '' is the product itself, without its development tools. */
function listNeeds(lock: Lock, path: string): string[] {
  const needs = path === '' ? (lock.workspaces[''] ?? {}) : (lock.packages[path]?.[2] ?? {})
  const optional = new Set(needs.optionalPeers)
  const peers = Object.keys(needs.peerDependencies ?? {}).filter((name) => !optional.has(name))
  const names = [needs.dependencies, needs.optionalDependencies].flatMap((each) =>
    Object.keys(each ?? {}),
  )
  const paths = [...names, ...(path === '' ? [] : peers)].map((name) => resolve(lock, path, name))
  return [...new Set(paths.filter((each) => each !== undefined))]
}

/** Path of a package as another one sees it: its own copy, else that of those around it. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let around = from; ; around = parentOf(around)) {
    const path = around === '' ? name : `${around}/${name}`
    if (lock.packages[path]) return path
    if (around === '') return undefined
  }
}

/** `a/@b/c` is within `a`, `@b/c` within nothing. */
const parentOf = (path: string): string => path.replace(/\/?(?:@[^/]+\/)?[^/]+$/, '')

/** `name` and `version` of `@scope/name@1.0.0`. */
function specOf(lock: Lock, path: string): { name: string; version: string } {
  const spec = lock.packages[path]?.[0] ?? path
  const at = spec.lastIndexOf('@')
  return { name: spec.slice(0, at), version: spec.slice(at + 1) }
}

function purlOf(lock: Lock, path: string): string {
  const { name, version } = specOf(lock, path)
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function describe(root: string, lock: Lock, path: string) {
  const { name, version } = specOf(lock, path)
  const [group, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = purlOf(lock, path)
  const integrity = lock.packages[path]?.[3] ?? ''
  const license = findLicense(root, path)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: bare,
    version,
    purl,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') },
    ],
    ...(license !== undefined && { licenses: [license] }),
  }
}

/** The licence that the installed package names; other machines' packages are not installed. */
function findLicense(root: string, path: string) {
  const folder = path.replaceAll(/(?<=\/|^)((?:@[^/]+\/)?[^/]+)(?=\/|$)/g, 'node_modules/$1')
  try {
    const text = readFileSync(join(root, folder, 'package.json'), 'utf8')
    const { license } = JSON.parse(text) as { license?: unknown }
    if (typeof license !== 'string') return undefined
    if (/^[\w.+-]+$/.test(license)) return { license: { id: license } }
    return / (?:OR|AND|WITH) /.test(license)
      ? { expression: license }
      : { license: { name: license } }
  } catch {
    return undefined
  }
}
