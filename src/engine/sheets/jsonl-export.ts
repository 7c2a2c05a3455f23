/** JSON Lines: one object a row, by field name, each value as the wire has it. */
import { ByteWriter } from './byte-writer.ts'
import type { ExportFormat, RowSink, SheetColumn, SheetPlan } from './format.ts'
import { HashedFile } from './hashed-file.ts'
import type { Cell, RowPage } from './row-page.ts'

export const jsonlExport: ExportFormat = {
  name: 'jsonl',
  contentType: 'application/jsonl; charset=utf-8',
  extension: '.jsonl',
  open: async (sheet, path) => new JsonlSink(await HashedFile.create(path), sheet),
}

class JsonlSink implements RowSink {
  readonly #file: HashedFile
  readonly #bytes = new ByteWriter()
  readonly #members: readonly { lead: string; isRaw: boolean }[]

  constructor(file: HashedFile, { columns }: SheetPlan) {
    this.#file = file
    this.#members = columns.map((column, at) => ({
      lead: `${at === 0 ? '{' : ','}${JSON.stringify(column.name)}:`,
      isRaw: isRaw(column),
    }))
  }

  async write({ rows }: RowPage): Promise<void> {
    const bytes = this.#bytes.clear()
    for (const row of rows) {
      for (let at = 0; at < this.#members.length; at++) {
        const member = this.#members[at]
        if (!member) continue
        bytes.text(member.lead)
        bytes.text(compose(row[at] ?? null, member.isRaw))
      }
      bytes.ascii('}\n')
    }
    if (bytes.length > 0) await this.#file.write(bytes.bytes)
  }

  close(): Promise<{ size: number; sha256: string }> {
    return this.#file.close()
  }

  abort(): Promise<void> {
    return this.#file.abort()
  }
}

/** Texts of these columns are JSON already: documents, lists, and digits that no double holds. */
const isRaw = ({ type }: SheetColumn): boolean => type === 'Json' || type === 'Integer'

const compose = (cell: Cell, isJson: boolean): string =>
  isJson && typeof cell === 'string' ? cell : JSON.stringify(cell)
