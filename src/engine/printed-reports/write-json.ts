/** Writes the content of a report as one JSON document, row by row. */
import { renderMessage } from '../../kernel/messages.ts'
import type { ReportSheet } from './printed-report.ts'
import { HashedFile } from '../sheets/hashed-file.ts'
import { JsonRows } from '../sheets/json-rows.ts'

const COMMA = Buffer.from(',')
const NOTHING = new Uint8Array()

/** The file that sheets are written to, with its title and language. */
interface JsonFile {
  path: string
  title: string
  language: string | undefined
}

/**
 * Writes `{Title, DataSets: {name: {Columns, Rows}}}` to a new file: cells in wire form. Calls
 * `onPage` between pages.
 */
export async function writeJson(
  { path, title, language }: JsonFile,
  sheets: readonly ReportSheet[],
  onPage: (rows: number) => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const file = await HashedFile.create(path)
  const write = (text: string): Promise<void> => file.write(Buffer.from(text))
  try {
    await write(`{"Title":${JSON.stringify(title)},"DataSets":{`)
    const names = nameTables(sheets)
    for (const [at, sheet] of sheets.entries()) {
      const name = JSON.stringify(names[at])
      await write(`${at > 0 ? ',' : ''}${name}:${openSheet(sheet, language)}`)
      await writeRows(file, sheet, onPage)
      await write(']}')
    }
    await write('}}')
    return await file.close()
  } catch (error) {
    await file.abort()
    throw error
  }
}

/** A table whose name is taken gets a number: of two equal members readers keep only one. */
function nameTables(sheets: readonly ReportSheet[]): string[] {
  const names = new Set<string>()
  for (const sheet of sheets) {
    let { name } = sheet
    for (let number = 2; names.has(name); number++) name = `${sheet.name} (${number})`
    names.add(name)
  }
  return [...names]
}

function openSheet({ plan, notice }: ReportSheet, language: string | undefined): string {
  const columns = plan.columns.map(({ name: Name, label: Label, type: Type }) => ({
    Name,
    Label,
    Type,
  }))
  const said = notice ? `"Notice":${JSON.stringify(renderMessage(notice, language))},` : ''
  return `{${said}"Columns":${JSON.stringify(columns)},"Rows":[`
}

async function writeRows(
  file: HashedFile,
  { plan: { columns }, rows }: ReportSheet,
  onPage: (rows: number) => Promise<void>,
): Promise<void> {
  const objects = new JsonRows(columns)
  let isFirst = true
  for await (const page of rows) {
    const bytes = objects.compose(page, COMMA, NOTHING)
    if (bytes.length > 0) await file.write(isFirst ? bytes.subarray(COMMA.length) : bytes)
    isFirst &&= bytes.length === 0
    await onPage(page.rows.length)
  }
}
