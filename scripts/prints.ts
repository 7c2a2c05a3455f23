/**
 * Pictures of printed documents: `bun run prints DIR` starts the demo with `dist/appengine`, has
 * each of its documents printed in English and German, draws tables of all widths also in Arabic,
 * and turns every page into a PNG by poppler's pdftoppm.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { PrintColumn, PrintHead, PrintMessage, PrintRow } from '../src/engine/pdf/document.ts'
import { Printer } from '../src/engine/pdf/draw-document.ts'
import { startServer } from './bench/processes.ts'
import { executablePath } from './build.ts'

/** Documents of the demo, as its sales manager gets them. */
const PRINTS: readonly [name: string, query: string][] = [
  ['invoice', 'Invoice?Id=3'],
  ['delivery-note', 'DeliveryNote?Id=3'],
  ['statement', 'SalesStatement?From=2026-01-01&To=2026-12-31'],
  ['orders', 'list?object=orders&search=2026-0&totals=Total'],
  ['orders-in-groups', 'list?object=orders&fields=Number,Customer,Total&group=Status&totals=Total'],
  ['customers', 'list?object=customers'],
  ['order', 'record?object=orders&Id=3'],
  ['sales', 'page?report=SalesOverview&From=2026-01-01&To=2026-12-31'],
  ['analysis', 'page?report=CustomerAnalysis'],
  ['stock', 'page?report=StockReport'],
]

const HEAD: Omit<PrintHead, 'title' | 'language'> = {
  page: { size: 'A4', isLandscape: false },
  running: { company: 'North Trading', title: '' },
  letterhead: undefined,
  foot: { left: '2026-11-28', right: '{Page} / {Pages}' },
  carried: { forward: 'Carried forward', brought: 'Brought forward' },
  logo: undefined,
  fonts: [],
  createdAt: '2026-11-28T12:00:00Z',
}

interface Sample {
  total: string
  number: string
  day: string
  text: string
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  en: { total: 'Total', number: '264,055.86', day: 'Nov 28, 2026', text: 'Wall anchors, M8' },
  de: { total: 'Zwischensumme', number: '264.055,86', day: '28.11.2026', text: 'Dübel für M8' },
  ar: { total: 'المجموع', number: '264,055.86', day: '28/11/2026', text: 'مثبتات SO-7 (M8)' },
}

/** Columns of the drawn tables: upright, turned, smaller, in blocks below each other, on pages. */
const WIDTHS = [5, 11, 15, 40, 120] as const

async function printDemo(folder: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'prints-'))
  try {
    const words = ['serve', '--demo', '--data', data, '--port', '0']
    await using server = await startServer([executablePath(), ...words], undefined, true)
    const url = `http://127.0.0.1:${server.port}`
    const signedIn = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
    })
    const { data: session } = (await signedIn.json()) as { data: { AccessToken: string } }
    for (const language of ['en', 'de'])
      for (const [name, query] of PRINTS) {
        const answer = await fetch(`${url}/report/${query}&format=pdf`, {
          headers: { Authorization: `Bearer ${session.AccessToken}`, 'Accept-Language': language },
        })
        if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`)
        await Bun.write(join(folder, `demo-${name}-${language}.pdf`), await answer.arrayBuffer())
      }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

async function printTables(folder: string): Promise<void> {
  const printer = new Printer({ timeoutMs: 60_000, memoryBytesMax: 1024 ** 3, concurrency: 1 })
  try {
    for (const [language, sample] of Object.entries(SAMPLES))
      for (const width of WIDTHS) {
        const path = join(folder, `table-${width}-${language}.pdf`)
        const head = { ...HEAD, title: `${width}`, language }
        await printer.draw({ path, head, by: 'prints' }, async (drawing) => {
          for (const message of listTable(width, sample)) await drawing.send(message)
        })
      }
  } finally {
    await printer.close()
  }
}

function* listTable(
  width: number,
  { total, number, day, text }: Sample,
): Generator<Exclude<PrintMessage, { do: 'open' | 'end' }>> {
  const values = [`${number}`, text, day, '-126', `${text} ${text}`]
  const columns = Array.from({ length: width }, (_, at): PrintColumn => {
    const isText = at === 0 || at % 5 === 1 || at % 5 === 4
    return { label: `${text} ${at}`, align: isText ? 'start' : 'end', isWhole: !isText }
  })
  const cellsOf = (line: number): string[] =>
    columns.map((_, at) => (at === 0 ? `SO-2026-00${line + 10}` : (values[at % 5] ?? '')))
  const rows = Array.from({ length: 50 }, (_, line): PrintRow => ({
    kind: 'row',
    cells: cellsOf(line),
  }))
  const sums = columns.map((_, at) => (at > 0 && at % 5 === 0 ? number : ''))
  yield { do: 'blocks', blocks: [{ kind: 'heading', level: 1, text: `${text}: ${width}` }] }
  yield { do: 'table', title: '', columns }
  yield { do: 'rows', rows: [...rows, { kind: 'total', label: total, cells: sums }] }
  yield { do: 'tableEnd', emptyText: '' }
}

/** Turns each page of each document into a PNG. */
async function drawPages(folder: string): Promise<number> {
  const documents = new Bun.Glob('*.pdf').scan({ cwd: folder, absolute: true })
  for await (const path of documents) {
    const target = path.slice(0, -'.pdf'.length)
    const { exitCode, stderr } = Bun.spawnSync(['pdftoppm', '-r', '80', '-png', path, target])
    if (exitCode !== 0) throw new Error(`pdftoppm: ${stderr}`)
  }
  return [...new Bun.Glob('*.png').scanSync({ cwd: folder })].length
}

const [given] = process.argv.slice(2)
if (given === undefined) {
  process.stderr.write('Usage: bun run prints DIR\n')
  process.exit(2)
}
const folder = resolve(given)
mkdirSync(folder, { recursive: true })
for (const name of new Bun.Glob('{demo,table}-*.{pdf,png}').scanSync({ cwd: folder }))
  rmSync(join(folder, name))
await printDemo(folder)
await printTables(folder)
process.stdout.write(`${await drawPages(folder)} pages in ${folder}\n`)
