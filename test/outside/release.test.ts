/** A release as its users check it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { temporaryFolder } from '../support/executable.ts'
import { hostTarget } from '../../scripts/build.ts'
import { makeRelease, type Release } from '../../scripts/release.ts'
import { findNotes } from '../../scripts/release/notes.ts'
import facts from '../../package.json' with { type: 'json' }

const home = temporaryFolder()
const folder = join(home.path, 'release')
const [key, publicKey] = [join(home.path, 'key'), join(home.path, 'key.pub')]
const target = hostTarget()
let release: Release

/** Runs a program in the folder of the release: its exit code. */
const run = (...words: string[]): number =>
  Bun.spawnSync(words, { cwd: folder, stdout: 'ignore', stderr: 'ignore' }).exitCode

beforeAll(async () => {
  Bun.spawnSync(['minisign', '-G', '-W', '-s', key, '-p', publicKey])
  release = await makeRelease({ folder, targets: [target], key })
})
afterAll(() => home[Symbol.dispose]())

test('every file has its sum and its signature; a changed one has neither', async () => {
  const signed = release.files.filter((file) => !file.endsWith('.minisig'))
  expect(signed.map((file) => basename(file))).toEqual([
    `appengine-${facts.version}-${target}`,
    `appengine-${facts.version}.cdx.json`,
    'NOTES.md',
    'SHA256SUMS',
  ])
  expect(run('sha256sum', '--check', '--strict', 'SHA256SUMS')).toBe(0)
  const verify = (file: string): number => run('minisign', '-V', '-p', publicKey, '-m', file)
  for (const file of signed) expect([file, verify(file)]).toEqual([file, 0])
  const notes = join(folder, 'NOTES.md')
  const text = readFileSync(notes, 'utf8')
  await Bun.write(notes, `${text}more\n`)
  expect([verify(notes) !== 0, run('sha256sum', '--check', 'SHA256SUMS') !== 0]).toEqual([
    true,
    true,
  ])
  await Bun.write(notes, text)
})

test('the same sources make the same bytes, in another folder, too', async () => {
  const sums = (at: string): string => readFileSync(join(at, 'SHA256SUMS'), 'utf8')
  const other = join(home.path, 'other/folder')
  await makeRelease({ folder: other, targets: [target] })
  expect(sums(other)).toBe(sums(folder))
})

interface Bill {
  components: { 'bom-ref': string; name: string; hashes?: { content: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

test('the bill of materials lists what is within, by its lock, and no tool of development', () => {
  const file = join(folder, `appengine-${facts.version}.cdx.json`)
  const { components, dependencies } = JSON.parse(readFileSync(file, 'utf8')) as Bill
  const refs = components.map((each) => each['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  for (const [name, version] of Object.entries(facts.dependencies)) {
    const [, alias = `${name}@${version}`] = /^npm:(.+)$/.exec(version) ?? []
    expect(refs).toContain(`pkg:npm/${alias.replace(/^@/, '%40')}`)
  }
  for (const tool of ['typescript', 'prettier', 'playwright-core', 'fast-check'])
    expect(components.map(({ name }) => name)).not.toContain(tool)
  const [own = '', ...others] = dependencies.map(({ ref }) => ref)
  expect(own).toBe(`pkg:generic/appengine@${facts.version}`)
  expect([`pkg:generic/bun@${Bun.version}`, ...others].sort()).toEqual(refs.toSorted())
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn))
  expect([...needed].sort()).toEqual(refs.toSorted())
  for (const { hashes = [] } of components.slice(1))
    expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/)
})

test('the notes are what is unreleased, else the section of the version', () => {
  const log = '# C\n\n## 1.2.0\n\n- old\n\n## 1.3.0 (2026-12-01)\n\n- new\n\n## Unreleased\n'
  expect(findNotes(log, '1.3.0')).toBe('# Application Engine 1.3.0\n\n- new\n')
  expect(findNotes(`${log}\n- next\n`, '1.4.0')).toBe('# Application Engine 1.4.0\n\n- next\n')
  expect(() => findNotes(log, '1.4.0')).toThrow('no lines for 1.4.0')
})
