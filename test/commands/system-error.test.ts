import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSystemError } from '../../src/commands/system-error.ts'
import { temporaryFolder } from '../support/executable.ts'

/** The error that `work` throws. */
function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('errors of the file system name the path and the cause', () => {
  using home = temporaryFolder()
  const file = join(home.path, 'file')
  writeFileSync(file, '')
  expect(describeSystemError(caught(() => mkdirSync(join(file, 'x'))))).toBe(
    `${join(file, 'x')} cannot be used (ENOTDIR): a part of its path is a file, not a folder`,
  )
  expect(describeSystemError(caught(() => readFileSync(home.path)))).toContain('EISDIR')
})

test.each([
  // As the loaders of glibc and musl, and the executable's own loader, say it.
  ['/tmp/.bun-0-f6.node: failed to map segment from shared object', 'must allow programs to run'],
  ['/$bunfs/root/index-a4.node: cannot open shared object file: No such', 'must be writable'],
  ['libgcc_s.so.1: cannot open shared object file: No such file', 'apt install libgcc-s1'],
  [
    'librt.so.1: cannot open shared object file: No such file',
    'librt.so.1 is missing. It is a part',
  ],
  ['Error loading shared library libstdc++.so.6: No such file', 'apk add libstdc++'],
  ["/lib/libc.so.6: version `GLIBC_2.18' not found (required by x)", 'too old'],
])('a library that cannot be loaded: %s', (message, expected) => {
  expect(describeSystemError(new Error(message))).toContain(expected)
})

test('any other error is left to its stack', () => {
  expect(describeSystemError(new TypeError('x is undefined'))).toBeUndefined()
})
