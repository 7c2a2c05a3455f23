/** The file formats of an engine: the built-in ones, and those that extensions add. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { CONTENT_IMPORTS, planUnnamed } from './content-imports.ts'
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
    const name = fileName.toLowerCase()
    const named = [...this.#imports.values()].find(({ extensions }) =>
      extensions.some((extension) => name.endsWith(extension)),
    )
    return named ?? planUnnamed(() => refuseName(this.importNames))
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
