/** The file formats of an engine: the built-in ones, and those that extensions add. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { CONTENT_IMPORTS, planUnnamed, requireReadable } from './content-imports.ts'
import { csvExport } from './csv.ts'
import type { ExportFormat, ImportFormat } from './format.ts'
import { jsonlExport } from './jsonl.ts'
import { xlsxExport } from './xlsx-export.ts'

const EXPORTS: readonly ExportFormat[] = [csvExport, xlsxExport, jsonlExport]

/** Formats by name; each engine has one registry. */
export class Formats {
  readonly #exports = byName(EXPORTS)
  readonly #imports = byName(CONTENT_IMPORTS)

  /** Adds a format for export. @throws Error when the name is taken. */
  addExport(format: ExportFormat): void {
    add(this.#exports, format)
  }

  /** Adds a format for import. @throws Error when the name is taken. */
  addImport(format: ImportFormat): void {
    add(this.#imports, format)
  }

  get exportNames(): string[] {
    return [...this.#exports.keys()]
  }

  get importNames(): string[] {
    return [...this.#imports.keys()]
  }

  /** @throws invalid (400) for a name that no format has. */
  requireExport(name: string): ExportFormat {
    return this.#exports.get(name.toLowerCase()) ?? refuse(this.exportNames)
  }

  /** @throws invalid (400) for a name that no format has. */
  requireImport(name: string): ImportFormat {
    return this.#imports.get(name.toLowerCase()) ?? refuse(this.importNames)
  }

  /**
   * The format by a file's extension. Of an unknown one a workbook is read by its content; reading
   * another file throws invalid, which says what it is.
   */
  requireImportOf(fileName: string): ImportFormat {
    return this.#findNamed(fileName) ?? planUnnamed(() => refuseName(this.importNames))
  }

  /**
   * Looks at the beginning of a file that is to be read later.
   * @throws invalid (400) for a file without rows, or a text whose name says nothing
   */
  async requireReadable({ path, fileName }: { path: string; fileName: string }): Promise<void> {
    const content = await requireReadable(path)
    const isText = content === 'text' || content === 'json'
    if (isText && !this.#findNamed(fileName)) refuseName(this.importNames)
  }

  #findNamed(fileName: string): ImportFormat | undefined {
    const name = fileName.toLowerCase()
    return [...this.#imports.values()].find(({ extensions }) =>
      extensions.some((extension) => name.endsWith(extension)),
    )
  }
}

const byName = <F extends { name: string }>(formats: readonly F[]): Map<string, F> =>
  new Map(formats.map((format) => [format.name, format]))

function add<F extends { name: string }>(formats: Map<string, F>, format: F): void {
  const name = format.name.toLowerCase()
  if (formats.has(name)) throw new Error(`There is a format ${name} already`)
  formats.set(name, format)
}

function refuse(names: readonly string[]): never {
  throw invalid(say`Format must be one of: ${names.join(', ')}`, { code: 'UNKNOWN_FORMAT' })
}

function refuseName(names: readonly string[]): never {
  throw invalid(say`Unknown file type. Set the format to one of: ${names.join(', ')}`, {
    code: 'UNKNOWN_FORMAT',
  })
}
