/** Is this file the database that belongs here? Nothing is ever made anew over one that is not. */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Connection } from './connection.ts'
import { APPLICATION_ID } from './schema.ts'
import type { DatabaseKind } from './schema.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const APPLICATION_ID_AT = 68
/** The fact that names the data; the sidecar beside the file repeats it. */
const FACT = 'DataId'
/** Larger files are checked by the command that is made for it: a start must be quick. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024

/**
 * 'new' when there is no file and never was one. Throws an Error with a sentence for the operator
 * for a file that is missing, empty, no database, or another program's.
 */
export function inspectFile(file: string, kind: DatabaseKind): 'new' | 'existing' {
  if (!existsSync(file)) {
    requireNeverMade(file, kind)
    return 'new'
  }
  const size = statSync(file).size
  if (size === 0) throw new Error(`${file} is empty. ${RESTORE}`)
  const header = readHeader(file)
  if (size < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error(`${file} is no database, or is damaged. ${RESTORE}`)
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID[kind])
    throw new Error(`${file} belongs to another program. ${RESTORE}`)
  return 'existing'
}

const RESTORE = 'It is left as it is: restore a backup, or name another data folder.'

function requireNeverMade(file: string, kind: DatabaseKind): void {
  // What is volatile may be lost with its file, and no more than that.
  if (kind === 'state') return
  for (const trace of [sidecarOf(file), `${file}-wal`])
    if (existsSync(trace))
      throw new Error(`${file} is missing, though ${trace} tells that there was one. ${RESTORE}`)
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(descriptor)
  }
  return header
}

/** Gives a new database its id. */
export function nameDatabase(connection: Connection): void {
  connection
    .statement('INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)')
    .run({ name: FACT, value: crypto.randomUUID() })
}

/**
 * Throws when the file is not the one that the sidecar beside it names; writes a missing sidecar.
 */
export function requireSameDatabase(connection: Connection, file: string): void {
  const id = connection
    .statement('SELECT Value FROM svc_facts WHERE Name = @name')
    .get({ name: FACT })?.Value
  if (typeof id !== 'string') throw new Error(`${file} bears no id. ${RESTORE}`)
  const sidecar = sidecarOf(file)
  if (!existsSync(sidecar)) writeFileSync(sidecar, `${id}\n`)
  else if (readFileSync(sidecar, 'utf8').trim() !== id)
    throw new Error(`${file} is not the database that ${sidecar} names. ${RESTORE}`)
}

/** Throws when pages of the file are damaged; files over 64 MB are not read through at a start. */
export async function requireSound(connection: Connection, file: string): Promise<void> {
  if (statSync(file).size > CHECKED_BYTES_MAX) return
  const [first] = await connection.statement('PRAGMA quick_check(1)').allOffLoop({})
  if (first?.quick_check === 'ok') return
  throw new Error(`${file} is damaged (${first?.quick_check}). ${RESTORE}`)
}

const sidecarOf = (file: string): string => `${file}.id`
