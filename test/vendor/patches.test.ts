/** Changes in dependencies: still of the version that they were written for, still needed. */
import { dlopen, FFIType } from 'bun:ffi'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { BROTLI_PLUGIN } from '../../src/vendor/brotli-bundle.ts'
import { BWIP_PLUGIN, PRINTED_SYMBOLS } from '../../src/vendor/bwip-bundle.ts'
import { COMPUTED_REQUIRE } from '../../src/vendor/libsql-bundle.ts'
import { iterateOffLoop } from '../../src/vendor/libsql-iterate.ts'
import { keepsFreed, returnFreed } from '../../src/vendor/libsql-memory.ts'
import { hasThreads } from '../../src/vendor/libsql-threads.ts'
import { splitWasm } from '../../src/vendor/libxml-bundle.ts'
import { loadNetworkLate } from '../../src/vendor/nodemailer-bundle.ts'
import { openMemory, prepareNative } from '../../src/store/connection/native.ts'
import { temporaryFolder } from '../support/executable.ts'

const ROOT = join(import.meta.dir, '../..')
const VENDOR = join(ROOT, 'src/vendor')

/** The version whose source was read last; with another one the patch must be looked at again. */
const LOOKED_AT = [
  ['brotli-bundle.ts', 'brotli', '1.3.3'],
  ['bun-options.ts', 'bun', '1.4.5'],
  ['bwip-bundle.ts', 'bwip-js', '4.11.4'],
  ['libsql-bundle.ts', 'libsql', '0.5.29'],
  ['libsql-iterate.ts', 'libsql', '0.5.29'],
  ['libsql-memory.ts', 'libsql', '0.5.29'],
  ['libsql-threads.ts', 'libsql', '0.5.29'],
  ['libxml-bundle.ts', 'libxml2-wasm', '0.7.2'],
  ['nodemailer-bundle.ts', 'nodemailer', '10.6.0'],
  ['pdfkit-parts.ts', 'pdfkit', '0.20.2'],
  ['vaadin-bundle.ts', '@vaadin/component-base', '25.3.0'],
] as const

const folderOf = (name: string): string => join(ROOT, 'node_modules', name)

function versionOf(name: string): unknown {
  if (name === 'bun') return Bun.version
  const text = readFileSync(join(folderOf(name), 'package.json'), 'utf8')
  const manifest: unknown = JSON.parse(text)
  return Reflect.get(Object(manifest), 'version')
}

test.each(LOOKED_AT)('%s was read against %s %s', (file, name, version) => {
  expect(versionOf(name)).toBe(version)
  expect(readFileSync(join(VENDOR, file), 'utf8')).toContain('\n * Goes when ')
})

test('no patch is without a row', () => {
  const files = readdirSync(VENDOR).filter((name) => name.endsWith('.ts'))
  expect(files.sort()).toEqual(LOOKED_AT.map(([file]) => file))
})

describe('libsql', () => {
  test.each(['index.js', 'promise.js'])('%s finds its native half by a computed name', (name) => {
    const text = readFileSync(join(folderOf('libsql'), name), 'utf8')
    expect(text.match(COMPUTED_REQUIRE)?.[0]).toContain('return require(`@libsql/${target}`)')
  })

  test('a connection has the methods of one face and can borrow the others', async () => {
    const database = openMemory()
    try {
      const statement = prepareNative(database, 'SELECT @n AS n UNION ALL SELECT 2')
      expect(statement.iterate({ n: 1 })).not.toBeInstanceOf(Promise)
      expect([...(await iterateOffLoop(statement, { n: 1 }))]).toEqual([[1], [2]])
    } finally {
      database.close()
    }
  })

  test('the number of its threads is raised', () => {
    expect(hasThreads).toBe(true)
  })

  test('what it frees stays with the process, where the C library can be told so', () => {
    const isGlibc = process.platform === 'linux' && !existsSync('/etc/alpine-release')
    expect(keepsFreed).toBe(isGlibc)
    const script = join(import.meta.dir, 'count-faults.ts')
    const child = Bun.spawnSync([process.execPath, script], { stderr: 'inherit' })
    expect(Number(child.stdout.toString())).toBeLessThan(isGlibc ? 5 : Infinity)
  })

  test('what is free between others goes back to the system when it is asked', () => {
    if (!keepsFreed) return expect(returnFreed()).toBe(false)
    const { symbols } = dlopen('libc.so.6', {
      malloc: { args: [FFIType.u64], returns: FFIType.ptr },
      free: { args: [FFIType.ptr], returns: FFIType.void },
    })
    const blocks = Array.from({ length: 200 }, () => symbols.malloc(100_000))
    const between = blocks.filter((_, at) => at % 2 === 0)
    for (const block of between) symbols.free(block)
    expect(returnFreed()).toBe(true)
    for (const block of blocks.filter((_, at) => at % 2 === 1)) symbols.free(block)
  })
})

test('brotli is the platform’s own in a bundle, which undoes the same bytes', async () => {
  using home = temporaryFolder()
  const entry = join(home.path, 'entry.ts')
  const module = join(folderOf('brotli'), 'decompress.js')
  writeFileSync(entry, `export { default } from ${JSON.stringify(module)}`)
  const plugins = [BROTLI_PLUGIN]
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'bun', plugins })
  const text = (await outputs[0]?.text()) ?? ''
  expect(text.length).toBeLessThan(2000)
  const file = join(home.path, 'made.js')
  writeFileSync(file, text)
  const own = ((await import(file)) as { default: Unpack }).default
  const theirs = ((await import(module)) as { default: Unpack }).default
  const packed = new Uint8Array(brotliCompressSync('glyphs of a font '.repeat(99)))
  expect(own(packed)).toEqual(new Uint8Array(theirs(packed)))
})

test('a bundle has the printed symbols alone, and makes the same of them', async () => {
  using home = temporaryFolder()
  const entry = join(home.path, 'entry.ts')
  const module = join(folderOf('bwip-js'), 'dist', 'bwip-js-node.mjs')
  writeFileSync(entry, `export { default } from ${JSON.stringify(module)}`)
  const plugins = [BWIP_PLUGIN]
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'bun', plugins })
  const text = (await outputs[0]?.text()) ?? ''
  expect(text.length).toBeLessThan(400_000)
  const file = join(home.path, 'made.mjs')
  writeFileSync(file, text)
  const own = ((await import(file)) as Symbols).default
  const theirs = ((await import('bwip-js/node')) as unknown as Symbols).default
  const texts = { qrcode: 'a text ü', ean13: '4006381333931', ean8: '40170725', code128: 'A-17' }
  for (const bcid of PRINTED_SYMBOLS) {
    const options = { bcid, text: texts[bcid] }
    expect(own.raw({ ...options })).toEqual(theirs.raw({ ...options }))
  }
})

interface Symbols {
  default: { raw: (options: object) => unknown }
}

test('libxml2 has its WebAssembly in its text, which a bundle has as a file', async () => {
  const module = join(folderOf('libxml2-wasm'), 'lib', 'libxml2raw.mjs')
  const { code, wasm } = splitWasm(readFileSync(module, 'utf8'))
  expect(WebAssembly.validate(wasm)).toBe(true)
  expect(wasm.length).toBeGreaterThan(800_000)
  expect(code.length).toBeLessThan(30_000)
  expect(() => splitWasm('another text')).toThrow('in another place')
})

type Unpack = (bytes: Uint8Array) => Uint8Array

test('nodemailer imports network modules, which are loaded late in a bundle', () => {
  const folder = join(folderOf('nodemailer'), 'dist', 'esm')
  const imported = new Set<string>()
  for (const file of new Bun.Glob('**/*.js').scanSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    const late = loadNetworkLate(text)
    for (const [, name = ''] of text.matchAll(/^import .* from 'node:(\w+)';$/gm)) {
      if (!late.includes(`from 'node:${name}'`)) imported.add(name)
    }
    expect(late, dirname(file)).not.toMatch(/^import .* from 'node:(dns|http|https|tls|zlib)';$/m)
  }
  expect([...imported].sort()).toEqual(['dns', 'http', 'https', 'tls', 'zlib'])
})
