/** The operator's logo in documents: whose it is, and what one that is no picture does. */
import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { findBranding } from '../../../src/engine/printed-reports/branding.ts'
import { temporaryFolder } from '../../support/executable.ts'
import { drawPng } from '../../support/pictures.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'

/** Logos differ by their width: a document tells it of its pictures. */
const logo = (width: number) => drawPng({ width, height: 3 })
const [ONE, TWO, ALL] = [11, 13, 17]

async function startBranded(files: Readonly<Record<string, Uint8Array>>): Promise<PrintedRecords> {
  const gallery = await startPrintedRecords()
  brand(gallery.app.folder, files)
  return gallery
}

function brand(folder: string, files: Readonly<Record<string, Uint8Array>>): void {
  mkdirSync(join(folder, 'branding'), { recursive: true })
  for (const [name, bytes] of Object.entries(files))
    writeFileSync(join(folder, 'branding', name), bytes)
}

const WHOLE = drawPng({ width: ONE, height: 3, hasAlpha: true })
const FLIPPED = Buffer.from(WHOLE)
FLIPPED.writeUInt8(FLIPPED.readUInt8(50) ^ 0xff, 50)

/** A logo whose squares are something else, with transparency or without. */
const filled = (data: Uint8Array, hasAlpha = true) =>
  drawPng({ width: ONE, height: 3, hasAlpha, data })

/** Squares without end, packed. */
const HUGE = { width: 60_000, height: 60_000, data: deflateSync(Buffer.alloc(1000)) }

const BROKEN: Readonly<Record<string, Uint8Array>> = {
  'no picture at all': Buffer.from('not a picture'),
  empty: new Uint8Array(),
  'only its first bytes': WHOLE.subarray(0, 8),
  'half of it': WHOLE.subarray(0, WHOLE.length - 20),
  'no compressed squares': filled(Buffer.from('no squares')),
  'the same without transparency': filled(Buffer.from('no squares'), false),
  'too few squares': filled(deflateSync(Buffer.alloc(10))),
  'too many squares': filled(deflateSync(Buffer.alloc(1_000_000))),
  'a filter that is none': filled(deflateSync(Buffer.alloc(3 * (1 + 4 * ONE), 9))),
  'no width': drawPng({ width: 0, height: 3 }),
  'a bit that fell over': FLIPPED,
  'more squares than there is memory': drawPng({ ...HUGE, hasAlpha: true }),
}

/** Of these the first bytes are enough to see that they are none: they are no file of a logo. */
const UNNAMED = new Set(['no picture at all', 'empty'])

/** Widths of the pictures of a list that somebody has drawn. */
async function pictures(gallery: PrintedRecords, as: string): Promise<number[]> {
  const bytes = await gallery.file(as, 'list', { object: 'bills' })
  const text = Buffer.from(bytes).toString('latin1')
  expect(text.slice(0, 5)).toBe('%PDF-')
  const found = text.matchAll(/\/Subtype \/Image\s[^]*?\/Width (\d+)/g)
  return [...new Set([...found].map(([, width]) => Number(width)))]
}

describe('a logo', () => {
  test('is that of the company, else that of all, and never that of another', async () => {
    await using gallery = await startBranded({ 'logo-ONE.png': logo(ONE) })
    expect(await pictures(gallery, 'clerk')).toEqual([ONE])
    expect(await pictures(gallery, 'other')).toEqual([])
    brand(gallery.app.folder, { 'logo.png': logo(ALL) })
    expect(await pictures(gallery, 'clerk')).toEqual([ONE])
    expect(await pictures(gallery, 'other')).toEqual([ALL])
    brand(gallery.app.folder, { 'logo-TWO.png': logo(TWO) })
    expect(await pictures(gallery, 'clerk')).toEqual([ONE])
    expect(await pictures(gallery, 'other')).toEqual([TWO])
  })

  test('is of the company that a caller of all companies stands in', async () => {
    await using gallery = await startBranded({
      'logo-ONE.png': logo(ONE),
      'logo-TWO.png': logo(TWO),
    })
    const query = { object: 'bills', allCompanies: 'true' }
    const text = Buffer.from(await gallery.file('sys', 'list', query)).toString('latin1')
    expect(text).toContain(`/Width ${ONE}`)
    expect(text).not.toContain(`/Width ${TWO}`)
  })

  test('is not there without a file', async () => {
    await using gallery = await startPrintedRecords()
    expect(await pictures(gallery, 'clerk')).toEqual([])
    expect(gallery.app.log.join()).not.toContain('logo')
  })

  test('that is broken is left out: the document is whole, and the log tells of it', async () => {
    await using gallery = await startPrintedRecords()
    for (const [what, bytes] of Object.entries(BROKEN)) {
      brand(gallery.app.folder, { 'logo-ONE.png': bytes })
      const told = gallery.app.log.length
      expect([what, await pictures(gallery, 'clerk')]).toEqual([what, []])
      const isTold = gallery.app.log.slice(told).join().includes('logo-ONE.png')
      expect([what, isTold]).toEqual([what, !UNNAMED.has(what)])
    }
    brand(gallery.app.folder, { 'logo-ONE.png': logo(ONE) })
    const told = gallery.app.log.length
    expect(await pictures(gallery, 'clerk')).toEqual([ONE])
    expect(gallery.app.log.slice(told).join()).not.toContain('logo')
  })

  test('of which no byte is a picture gives way to that of all, one too large too', async () => {
    const large = Buffer.concat([logo(ONE), Buffer.alloc(2 * 1024 * 1024)])
    for (const bytes of [Buffer.from('none'), large]) {
      await using gallery = await startBranded({ 'logo-ONE.png': bytes, 'logo.png': logo(ALL) })
      expect(await pictures(gallery, 'clerk')).toEqual([ALL])
    }
  })

  test('of any way to write a PNG is drawn', async () => {
    await using gallery = await startPrintedRecords()
    const size = { width: ONE, height: 9 }
    for (const hasAlpha of [true, false])
      for (const isInterlaced of [true, false]) {
        brand(gallery.app.folder, { 'logo-ONE.png': drawPng({ ...size, hasAlpha, isInterlaced }) })
        expect(await pictures(gallery, 'clerk')).toEqual([ONE])
      }
  })

  test('that is a JPEG without its end is left out', async () => {
    await using gallery = await startPrintedRecords()
    brand(gallery.app.folder, { 'logo-ONE.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74]) })
    expect(await pictures(gallery, 'clerk')).toEqual([])
    expect(gallery.app.log.join()).toContain('logo-ONE.jpg')
  })

  test('has no name that a company’s code could lead out of its folder', async () => {
    using folder = temporaryFolder()
    brand(folder.path, { 'logo-ONE.png': logo(ONE) })
    writeFileSync(join(folder.path, 'logo.png'), logo(ALL))
    const found = async (code: string) => (await findBranding(folder.path, code)).logo
    expect(await found('ONE')).toBe(join(folder.path, 'branding', 'logo-ONE.png'))
    for (const code of ['', '.', '../logo', 'x/../logo-ONE', 'ONE.png', 'ON', 'ONE\0', '-ONE', '*'])
      expect([code, await found(code)]).toEqual([code, undefined])
  })
})
