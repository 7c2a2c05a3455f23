/** Documents are drawn whole or not at all, the same to the byte; missing glyphs are reported. */
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planBarcode } from '../../src/engine/pdf/barcode.ts'
import { describeClaims } from '../../src/engine/pdf/claims.ts'
import { Printer } from '../../src/engine/pdf/draw-document.ts'
import { temporaryFolder } from '../support/executable.ts'
import { openPrinter, planTable, PRINT_HEAD, type PrintPart } from '../support/prints.ts'

const printer = openPrinter()
const folder = temporaryFolder()
afterAll(async () => {
  await printer[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const text = (said: string): PrintPart => ({ do: 'blocks', blocks: [{ kind: 'text', text: said }] })

test('a document is the same to the byte for the same input', async () => {
  const first = await printer.draw({}, [text('Ä é Ω Ж שלום مرحبا'), ...planTable(['A'], [['1']])])
  const second = await printer.draw({}, [text('Ä é Ω Ж שלום مرحبا'), ...planTable(['A'], [['1']])])
  expect(first).toMatchObject({ pages: 1, missing: [] })
  expect(second.sha256).toBe(first.sha256)
  const bytes = readFileSync(first.path)
  expect(bytes.byteLength).toBe(first.bytes)
  expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.7')
})

test('a file begins as archives want it, and finds its objects where it says', async () => {
  const { path } = await printer.draw({}, [text('found')])
  const bytes = readFileSync(path).toString('latin1')
  // A comment of four bytes beyond ASCII, so that nobody takes the file for a text.
  expect(bytes).toMatch(/^%PDF-1\.7\n%[\x80-\xff]{4}\n/)
  const [, at] = /startxref\n(\d+)\n%%EOF/.exec(bytes) ?? []
  const table = bytes.slice(Number(at))
  expect(table).toStartWith('xref\n')
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset))
  expect(offsets.length).toBeGreaterThan(10)
  for (const [number, offset] of offsets.entries())
    expect(bytes.slice(offset)).toStartWith(`${number + 1} 0 obj`)
})

test('a character that no font has is reported, each once', async () => {
  const { missing } = await printer.draw({}, [text('一 a 一 丁')])
  expect(missing.toSorted()).toEqual(['丁', '一'].toSorted())
})

test('a mark that no font has is reported, a character that shows nothing is not', async () => {
  const unseen = '\u061ca \u200fa a\u034fb a\u115fb a\u180bb a\u17b4b a\u{e0001}b 一\u200d一'
  const { missing } = await printer.draw({}, [text(`${unseen} e\u20e3 \u3099`)])
  expect(missing.toSorted()).toEqual(['\u20e3', '\u3099', '一'].toSorted())
})

test('a file claims PDF/UA-1 and PDF/A-2a, one with too many objects PDF/UA-1 alone', async () => {
  const { path } = await printer.draw({}, [text('Claims')])
  const archived = /<pdfaid:part>2<[^]*<pdfaid:conformance>A</
  const accessible = /<pdfuaid:part>1</
  expect(readFileSync(path, 'latin1')).toMatch(archived)
  expect(readFileSync(path, 'latin1')).toMatch(accessible)
  expect(describeClaims(8_388_607)).toMatch(archived)
  expect(describeClaims(8_388_608)).not.toContain('pdfaid')
  expect(describeClaims(8_388_608)).toMatch(accessible)
})

test('a file that is no font, and a logo that is no picture, are passed over', async () => {
  const path = join(folder.path, 'broken.ttf')
  await Bun.write(path, 'no font')
  const drawn = await printer.draw({ fonts: [path], logo: path }, [text('Still here')])
  expect(drawn).toMatchObject({ pages: 1, missing: [] })
})

test('a document on which nothing is drawn is one page', async () => {
  const table = { do: 'table' as const, title: '', columns: [] }
  for (const parts of [[], [table, { do: 'tableEnd' as const, emptyText: '' }]])
    expect(await printer.draw({}, parts)).toMatchObject({ pages: 1, missing: [] })
})

test('a table goes on over pages', async () => {
  const rows = Array.from({ length: 500 }, (_, at) => [`Row ${at}`, String(at)])
  const { pages } = await printer.draw({}, planTable(['Name', 'Number'], rows))
  expect(pages).toBeGreaterThan(8)
  const landscape = { page: { size: 'A4' as const, isLandscape: true } }
  expect((await printer.draw(landscape, planTable(['Name'], rows))).pages).toBeGreaterThan(pages)
})

test('a text of any length and a word without an end are set', async () => {
  const { pages } = await printer.draw({}, [text('word '.repeat(4000)), text('x'.repeat(3000))])
  expect(pages).toBeGreaterThan(3)
})

test('whoever is waited for no more leaves no file, and the next document is drawn', async () => {
  const path = join(folder.path, 'aborted.pdf')
  const stop = new AbortController()
  const drawn = printer.printer.draw(
    { path, head: PRINT_HEAD, by: 'test', signal: stop.signal },
    async (drawing) => {
      await drawing.send(text('begun'))
      stop.abort()
      await drawing.send(text('never'))
    },
  )
  await expect(drawn).rejects.toThrow()
  expect(existsSync(path)).toBe(false)
  expect((await printer.draw({}, [text('again')])).pages).toBe(1)
})

test('a helper that was ended while it stood by is not asked again', async () => {
  await printer.draw({}, [text('one')])
  const helpers = listHelpers()
  expect(helpers.length).toBeGreaterThan(0)
  for (const pid of helpers) process.kill(pid, 'SIGKILL')
  while (helpers.some(isThere)) await Bun.sleep(20)
  expect((await printer.draw({}, [text('two')])).pages).toBe(1)
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Helpers of this process that draw. */
function listHelpers(): number[] {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'pid=,args=', '--ppid', String(process.pid)])
  const lines = stdout.toString().split('\n')
  return lines.filter((line) => line.includes('draw-document')).map((line) => parseInt(line))
}

test('a helper that has grown does not stand by for the next document', async () => {
  // What it holds from the start lies midway between what it may stand by with and what ends it.
  const grown = new Printer({
    timeoutMs: 60_000,
    memoryBytesMax: 144 * 1024 ** 2,
    concurrency: 1,
  })
  const known = new Set(listHelpers())
  for (const name of ['first', 'second']) {
    const options = { path: join(folder.path, `${name}.pdf`), head: PRINT_HEAD, by: 'test' }
    await grown.draw(options, async (drawing) => {
      const own = listHelpers().filter((pid) => !known.has(pid))
      expect(own).toHaveLength(1)
      for (const pid of own) known.add(pid)
      await drawing.send(text(name))
    })
  }
  await grown.close()
})

test('what fails while a document is made fails the document', async () => {
  const path = join(folder.path, 'failed.pdf')
  const failed = printer.printer.draw({ path, head: PRINT_HEAD, by: 'test' }, () =>
    Promise.reject(new Error('no more rows')),
  )
  await expect(failed).rejects.toThrow('no more rows')
  expect(existsSync(path)).toBe(false)
})

describe('a helper beyond its bounds', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => [`Row ${at} of very many`, String(at)])
  const refused = async (limits: { timeoutMs: number; memoryBytesMax: number }) => {
    const path = join(folder.path, `bound-${limits.timeoutMs}.pdf`)
    const bounded = new Printer({ ...limits, concurrency: 1 })
    try {
      return await bounded
        .draw({ path, head: PRINT_HEAD, by: 'test' }, async (drawing) => {
          for (const part of planTable(['Name', 'Number'], rows)) await drawing.send(part)
        })
        .then(() => 'drawn')
        .catch((error: unknown) => String(error))
    } finally {
      expect(existsSync(path)).toBe(false)
      await bounded.close()
    }
  }

  test('of time is ended, and says so', async () => {
    expect(await refused({ timeoutMs: 100, memoryBytesMax: 1024 ** 3 })).toContain('too long')
  })

  test('is none for a text that nothing breaks, of letters or of marks', async () => {
    const bounded = new Printer({
      timeoutMs: 60_000,
      memoryBytesMax: 384 * 1024 ** 2,
      concurrency: 1,
    })
    for (const [at, cell] of ['x'.repeat(200_000), `a${'\u0301'.repeat(100_000)}`].entries()) {
      const path = join(folder.path, `unbroken-${at}.pdf`)
      const drawn = bounded.draw({ path, head: PRINT_HEAD, by: 'test' }, async (drawing) => {
        for (const part of planTable(['Text'], [[cell]])) await drawing.send(part)
      })
      expect((await drawn).missing).toEqual([])
    }
    await bounded.close()
  })

  test('of memory is ended, and says so', async () => {
    const bounds = { timeoutMs: 60_000, memoryBytesMax: 40 * 1024 ** 2 }
    expect(await refused(bounds)).toContain('too much memory')
  })
})

test('bars are those of the standards', () => {
  // EAN-13: 3 + 42 + 5 + 42 + 3 modules; a QR code of version 1 has 21.
  expect(planBarcode({ type: 'ean13', text: '4006381333931' }).columns).toBe(95)
  expect(planBarcode({ type: 'ean8', text: '96385074' }).columns).toBe(67)
  expect(planBarcode({ type: 'qr', text: 'hello' })).toMatchObject({ columns: 21, rows: 21 })
  expect(() => planBarcode({ type: 'ean13', text: '4006381333930' })).toThrow()
})

test('a bar code that cannot be drawn is its text, and told by its kind, once', async () => {
  const code = (text: string) => ({
    kind: 'barcode' as const,
    barcode: { type: 'ean13' as const, text, label: '', width: 50 },
  })
  const drawn = await printer.draw({}, [{ do: 'blocks', blocks: [code('4006381333931')] }])
  expect(drawn.undrawn).toEqual([])
  const wrong = await printer.draw({}, [{ do: 'blocks', blocks: [code('1'), code('none')] }])
  expect(wrong.undrawn).toEqual(['ean13'])
})
