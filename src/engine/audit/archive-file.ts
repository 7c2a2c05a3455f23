/**
 * An archive of the audit log: `audit/audit-000000001-000020000.jsonl.zst`, a line of JSON for each
 * entry as `svc_audit` has it, packed by zstd. Beside it `….jws`: a JWS (RFC 7515) by the key that
 * signs tokens, over what the archive holds; its head has the public half of the key.
 */
import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import {
  calculateJwkThumbprint,
  CompactSign,
  compactVerify,
  decodeProtectedHeader,
  importJWK,
} from 'jose'
import { makeFolder, placeFile, saveFile } from '../../kernel/durable.ts'
import { type AuditHead, readHead, writeHead } from '../../store/audit/record.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { SigningKeys } from '../../access/sessions/keys.ts'

/** The folder of archives in a data folder. */
export const AUDIT_FOLDER = 'audit'

const ALGORITHM = 'RS256'
const NAME = /^audit-(\d{9,15})-(\d{9,15})\.jsonl\.zst$/

/** The entries of an archive: those behind `from`, up to `to`. */
export interface ArchiveSpan {
  from: AuditHead
  to: AuditHead
}

/** An archive by its name. */
interface ArchiveName {
  name: string
  /** The number of the first entry and of the last one, counted from 1 on. */
  first: number
  last: number
}

const pad = (count: number): string => String(count).padStart(9, '0')

const nameOf = ({ from, to }: ArchiveSpan): string =>
  `audit-${pad(from.count + 1)}-${pad(to.count)}.jsonl.zst`

const signatureOf = (name: string): string => name.replace(/\.jsonl\.zst$/, '.jws')

/** The archives of a data folder that have been signed, in the order of their entries. */
export function listArchives(folder: string): ArchiveName[] {
  const names = new Set(readNames(join(folder, AUDIT_FOLDER)))
  return [...names]
    .flatMap((name) => {
      const [, first, last] = NAME.exec(name) ?? []
      if (first === undefined || !names.has(signatureOf(name))) return []
      return [{ name, first: Number(first), last: Number(last) }]
    })
    .toSorted((one, other) => one.first - other.first)
}

/** The names of all files of signed archives, for who copies a data folder. */
export const listArchiveFiles = (folder: string): string[] =>
  listArchives(folder).flatMap(({ name }) => [name, signatureOf(name)])

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return []
    throw error
  }
}

/**
 * Writes entries as an archive, which is whole and signed when this resolves; a crash before leaves
 * a file without a signature, which the next archive of the same entries takes the place of.
 */
export async function writeArchive(
  folder: string,
  keys: SigningKeys,
  { span, entries }: { span: ArchiveSpan; entries: AsyncIterable<readonly SqlRow[]> },
): Promise<ArchiveName> {
  const name = nameOf(span)
  const path = join(folder, AUDIT_FOLDER, name)
  makeFolder(join(folder, AUDIT_FOLDER))
  const part = `${path}.part`
  try {
    const file = createWriteStream(part, { mode: 0o600 })
    await pipeline(Readable.from(toLines(entries)), createZstdCompress(), file)
    placeFile(part, path)
  } finally {
    await rm(part, { force: true })
  }
  const content = { File: name, Sha256: await hashFile(path), ...describe(span) }
  saveFile(join(folder, AUDIT_FOLDER, signatureOf(name)), await sign(keys, content))
  return { name, first: span.from.count + 1, last: span.to.count }
}

const describe = ({ from, to }: ArchiveSpan) => ({ From: writeHead(from), To: writeHead(to) })

async function* toLines(entries: AsyncIterable<readonly SqlRow[]>): AsyncGenerator<string> {
  for await (const rows of entries) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

async function sign(keys: SigningKeys, content: object): Promise<string> {
  const own = keys.toJwks().keys.find(({ kid }) => kid === keys.kid)
  if (!own) throw new Error('The key that signs has no public half')
  const jwk = { kty: own.kty, n: own.n, e: own.e }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(content)))
    .setProtectedHeader({ alg: ALGORITHM, kid: keys.kid, jwk })
    .sign(keys.privateKey)
}

async function hashFile(path: string): Promise<string> {
  const hash = new Bun.SHA256()
  for await (const piece of Bun.file(path).stream()) hash.update(piece)
  return hash.digest('hex')
}

/** An archive whose signature and bytes hold. */
export interface ProvenArchive extends ArchiveSpan {
  /** RFC 7638: the thumbprint of the key that signed it. */
  kid: string
}

/**
 * Proves the signature of an archive and that its file is the one that was signed; a sentence for
 * the operator where not. The entries in it are not looked at.
 */
export async function proveArchive(
  folder: string,
  { name }: ArchiveName,
): Promise<ProvenArchive | string> {
  const path = join(folder, AUDIT_FOLDER, name)
  const token = await Bun.file(join(folder, AUDIT_FOLDER, signatureOf(name))).text()
  const signed = await readSignature(token.trim())
  if (!signed) return `${name}: the signature does not hold`
  const from = readHead(String(signed.content.From))
  const to = readHead(String(signed.content.To))
  if (!from || !to || signed.content.File !== name || nameOf({ from, to }) !== name)
    return `${name}: the signature is of another file`
  if (signed.content.Sha256 !== (await hashFile(path)))
    return `${name}: the file is not the one that was signed`
  return { from, to, kid: signed.kid }
}

interface SignedContent {
  kid: string
  content: { File?: unknown; Sha256?: unknown; From?: unknown; To?: unknown }
}

async function readSignature(token: string): Promise<SignedContent | undefined> {
  try {
    const { jwk, kid = '' } = decodeProtectedHeader(token)
    if (!jwk || (await calculateJwkThumbprint(jwk)) !== kid) return undefined
    const key = await importJWK(jwk, ALGORITHM)
    const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] })
    const content: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof content === 'object' && content !== null ? { kid, content } : undefined
  } catch {
    // Whatever is wrong with it: it proves nothing.
    return undefined
  }
}

/** Rows read together. */
const PAGE = 1000

/** The entries of an archive, in their order. @throws where it is no such file */
export async function* readArchive(
  folder: string,
  { name }: ArchiveName,
): AsyncGenerator<SqlRow[]> {
  const unpacked = createZstdDecompress()
  const packed = createReadStream(join(folder, AUDIT_FOLDER, name))
  packed.on('error', (error) => unpacked.destroy(error))
  let rows: SqlRow[] = []
  for await (const line of createInterface({ input: packed.pipe(unpacked), crlfDelay: Infinity })) {
    rows.push(JSON.parse(line) as SqlRow)
    if (rows.length < PAGE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}
