/** Bytes of a source's rows as files of the records, each written before the row that names it. */
import { SourceBytes, type SourceFile, type SourceRow } from '../../store/file/source-file.ts'
import { insertRow } from '../../store/rows.ts'
import type { SqlArg } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { files as fileRows } from '../../store/tables/files.ts'
import { type AdoptedColumn, type AdoptedEntity, keysOf } from './adopted.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from '../sql/quote.ts'

/** A file as it was written. */
interface WrittenFile {
  /** Its name in the folder of files. */
  Path: string
  FileName: string
  ContentType: string
  /** Bytes. */
  Size: number
  /** Hexadecimal. */
  Sha256: string
}

/** The place of files; what it wrote goes again where the adoption fails. */
export interface FileTarget {
  /** Writes a file. A name without an ending gets that of its content: `Photo-1.jpg`. */
  write(name: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>
}

/** The target of rows and files. */
export interface LoadTarget {
  tx: Tx
  files: FileTarget
  now: Date
}

/** True for a column whose values are files. */
export const isFileColumn = ({ type }: AdoptedColumn): boolean =>
  FIELD_KINDS[type].structure === 'files'

/** Writes the files of the rows of one entity. */
export class FileLoader {
  readonly #source: SourceFile
  readonly #entity: AdoptedEntity
  readonly #read: { table: string; keys: readonly string[] }
  readonly #columns: readonly (readonly [at: number, column: AdoptedColumn])[]

  constructor(
    source: SourceFile,
    entity: AdoptedEntity,
    read: { table: string; keys: readonly string[] },
  ) {
    this.#source = source
    this.#entity = entity
    this.#read = read
    this.#columns = [...entity.columns.entries()].filter(([, column]) => isFileColumn(column))
  }

  /** Writes the files of a row, and puts what names them into its `values`. */
  async save({ tx, files, now }: LoadTarget, row: SourceRow, values: SqlArg[]): Promise<void> {
    const shift = this.#entity.madeKey ? 1 : 0
    for (const [at, column] of this.#columns) {
      const cell = row.cells[at]
      if (!(cell instanceof SourceBytes) || cell.size === 0) continue
      const blob = {
        ...this.#read,
        column: quote(column.profile.column.name),
        key: row.key,
        size: cell.size,
      }
      const key = this.#findKey(values)
      const name = this.#findName(column, values) ?? [column.name, ...key].join('-')
      const { Sha256, ...entry } = await files.write(name, this.#source.bytes(blob))
      await insertRow(tx, fileRows, {
        ...entry,
        Sha256,
        Entity: this.#entity.name,
        RecordKey: JSON.stringify(key),
        Field: column.name,
        CompanyId: null,
        CreatedAt: now.toISOString(),
        CreatedBy: null,
      })
      values[at + shift] = JSON.stringify([entry])
    }
  }

  #findKey(values: readonly SqlArg[]): readonly SqlArg[] {
    const { madeKey, columns } = this.#entity
    if (madeKey) return values.slice(0, 1)
    return keysOf(this.#entity).map((key) => values[columns.indexOf(key)] ?? null)
  }

  /** Finds the name that the row gives its file: that of a name's column, or one with an ending. */
  #findName(file: AdoptedColumn, values: readonly SqlArg[]): string | undefined {
    const { madeKey, columns } = this.#entity
    const shift = madeKey ? 1 : 0
    const read = (isName: (plain: string) => boolean): string | undefined => {
      const at = columns.findIndex(
        ({ name, type }) => FIELD_KINDS[type].isText && isName(plain(name)),
      )
      const value = at < 0 ? undefined : values[at + shift]
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
    }
    const own = plain(file.name)
    const given = read(
      (name) => FILE_NAMES.has(name) || (name.startsWith(own) && name.endsWith('name')),
    )
    const named = read((name) => name === 'name' || name === 'title')
    return given ?? (named !== undefined && ENDING.test(named) ? named : undefined)
  }
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Columns with the names of files. */
const FILE_NAMES: ReadonlySet<string> = new Set([
  'filename',
  'originalfilename',
  'originalname',
  'attachmentname',
  'documentname',
  'dateiname',
])

/** The ending of a file's name. */
const ENDING = /\.[A-Za-z0-9]{1,8}$/
