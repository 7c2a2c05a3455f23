/** Results of imports, and files that are made for a caller (src/server/README.md, Objects). */
import { type Static, Type } from '@sinclair/typebox'
import { formatted, named, orNull } from '../../kernel/schema.ts'

/** A file that was made for the caller. */
export const MadeFile = named(
  'MadeFile',
  Type.Object({
    FileName: Type.String({ description: 'The name that export-file knows it by' }),
    Url: formatted('uri-reference', {
      description: 'Where it is fetched, with the caller’s token',
    }),
    ContentType: Type.String(),
    Size: Type.Integer({ description: 'Bytes' }),
    Rows: Type.Integer(),
    Sha256: Type.String({ examples: ['9f86d081884c7d65'] }),
  }),
)
export type MadeFile = Static<typeof MadeFile>

/** A row of a file that cannot be imported. */
export const ImportFault = named(
  'ImportFault',
  Type.Object({
    Line: Type.Integer(),
    Cells: Type.Array(orNull(Type.String())),
    FieldErrors: Type.Record(Type.String(), Type.String(), {
      examples: [{ Price: 'Price is not a number' }],
    }),
  }),
)
export type ImportFault = Static<typeof ImportFault>

/** A field that a column of a file can be. */
export const ImportField = named(
  'ImportField',
  Type.Object({
    Name: Type.String({ description: 'As `mapping` says it', examples: ['GroupCode__Label'] }),
    Field: Type.String({ description: 'As faults name it', examples: ['GroupCode'] }),
    Label: Type.String({ examples: ['Group'] }),
    Required: Type.Boolean({ description: 'New records need it' }),
    Key: Type.Boolean({ description: 'It only tells stored records' }),
  }),
)
export type ImportField = Static<typeof ImportField>

const Cells = Type.Array(orNull(Type.String()), { examples: [['AB-4711', '19.90']] })

const ImportColumn = named(
  'ImportColumn',
  Type.Object({
    Head: Type.String({ examples: ['Group'] }),
    Name: orNull(Type.String({ examples: ['GroupCode__Label'] })),
  }),
)

const ImportLine = named('ImportLine', Type.Object({ Line: Type.Integer(), Cells }))

/** The beginning of a file, before it is imported. */
export const ImportPreview = named(
  'ImportPreview',
  Type.Object({
    Sheets: Type.Array(Type.String({ examples: ['Prices'] })),
    Sheet: orNull(Type.String({ examples: ['Prices'] })),
    Columns: Type.Array(ImportColumn),
    Rows: Type.Array(ImportLine),
    Fields: Type.Array(ImportField),
  }),
)
export type ImportPreview = Static<typeof ImportPreview>

/** The outcome of an import. */
export const ImportResult = named(
  'ImportResult',
  Type.Object({
    ImportId: Type.Union([Type.String(), Type.Null()], {
      description: 'For undoing the import; null for a dry run',
    }),
    Inserted: Type.Integer(),
    Updated: Type.Integer(),
    Skipped: Type.Integer({ description: 'Rows whose records have all of it already' }),
    Failed: Type.Integer({ description: 'Rows that were left out' }),
    Rows: Type.Integer({ description: 'Rows of the file' }),
    ErrorFile: Type.Union([MadeFile, Type.Null()], {
      description: 'The rows that were left out, with a column Error',
    }),
    Faults: Type.Optional(
      Type.Array(ImportFault, {
        description: 'Of a dry run with `skip`: the first 200',
      }),
    ),
  }),
)
export type ImportResult = Static<typeof ImportResult>
