/** Files of records: taken over by submits, let go with what names them. */
import { expect, test } from 'bun:test'
import { DAY } from '../../../src/kernel/setting.ts'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { TestClock } from '../../support/identity.ts'
import { type FileEntry, openPapers, PAPERS, type Papers, png, text } from '../../support/papers.ts'

const paths = (entries: readonly FileEntry[]): string[] => entries.map(({ Path }) => Path).sort()

/** The rows of `svc_files`, each in a line. */
async function rows(papers: Papers): Promise<string[]> {
  const found = await papers.app.store.all({
    sql: `SELECT Entity || RecordKey || Field || ' of ' || CompanyId AS line FROM svc_files ORDER BY 1`,
    args: {},
    runs: 'inline',
  })
  return found.map(({ line }) => String(line))
}

test('keys, one key, and stored entries may be mixed; what is left out goes', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('one'), text('two')])
  const [one, two] = entries
  const third = await papers.key('bo', text('three'))
  const mixed = [{ ...two, FileName: 'forged.html', ContentType: 'text/html' }, third]
  const { Values } = await papers.save('bo', 'Papers', { Id: id, Scans: mixed })
  const stored = Values.Scans as FileEntry[]
  expect(stored).toEqual([
    { ...(two as FileEntry) },
    { Path: third, FileName: 'note.txt', ContentType: 'text/plain', Size: 5 },
  ])
  expect(await papers.kept()).toEqual(paths(stored))
  expect((await papers.get('ana', one?.Path ?? '')).status).toBe(404)
  expect(await rows(papers)).toEqual([`Paper[${id}]Scans of 1`, `Paper[${id}]Scans of 1`])
  // A save that says nothing of the field keeps it; a repeat of the same keys keeps the same.
  await papers.save('ana', 'Papers', { Id: id, Title: 'other' })
  await papers.save('ana', 'Papers', { Id: id, Scans: [two?.Path, third, third] })
  expect((await papers.form('ana', 'Papers', { Id: id })).Values.Scans).toEqual(stored)
  const alone = await papers.save('ana', 'Papers', { Id: id, Scans: third })
  expect(paths(alone.Values.Scans as FileEntry[])).toEqual([third])
  const none = await papers.save('ana', 'Papers', { Id: id, Scans: [] })
  expect(none.Values.Scans).toBeNull()
  expect(await papers.kept()).toEqual([])
  expect(await rows(papers)).toEqual([])
})

test('a file of another record, field or object cannot be taken', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('one')])
  const path = entries[0]?.Path ?? ''
  const refused = async (field: string, value: unknown, more = {}) => {
    const { status, body } = await papers.submit('ana', 'Papers', { ...more, [field]: value })
    return [status, Object.keys(body.fieldErrors ?? {})]
  }
  expect(await refused('Scans', [path])).toEqual([400, ['Scans']])
  expect(await refused('Photo', [path], { Id: id })).toEqual([400, ['Photo']])
  const forScans = await papers.key('ana', png())
  expect(await refused('Photo', [forScans])).toEqual([400, ['Photo']])
  const forPages = await papers.key('ana', png(), { object: 'Pages', field: 'Image' })
  expect(await refused('Scans', [forPages])).toEqual([400, ['Scans']])
  for (const odd of [['../../engine.db'], [{ Path: '/etc/passwd' }], [42], { a: 1 }, [[]]]) {
    expect(await refused('Scans', odd)).toEqual([400, ['Scans']])
  }
  const many = [1, 2, 3, 4].map((at) => papers.key('ana', text(`${at}`)))
  expect(await refused('Scans', await Promise.all(many))).toEqual([400, ['Scans']])
})

test('what a caller may not write is dropped, and its upload waits on', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [png()], { field: 'Photo' })
  const { Values } = await papers.save('kim', 'Papers', { Id: id, Photo: [], Sealed: ['x'] })
  expect(Values.Photo).toEqual(entries)
  expect(await papers.kept()).toEqual(paths(entries))
})

test('a refused submit leaves uploads waiting; the next one takes them', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const key = await papers.key('ana', text('one'))
  const other = await papers.submit('ana', 'Papers', { Scans: [key], Photo: ['nothing'] })
  expect(other.status).toBe(400)
  expect((await papers.get('ana', key)).status).toBe(200)
  expect(await rows(papers)).toEqual([])
  const [first, second] = await Promise.all([
    papers.submit('ana', 'Papers', { Scans: [key] }),
    papers.submit('ana', 'Papers', { Scans: [key] }),
  ])
  expect([first.status, second.status].sort()).toEqual([200, 400])
  expect((await papers.drop('ana', key)).status).toBe(404)
})

test('details have files, and their faults are told by their place', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const upload = { object: 'Pages', field: 'Image' }
  const key = await papers.key('ana', png(), upload)
  const saved = await papers.save(
    'ana',
    'Papers',
    { Title: 'with pages' },
    { Details: { Pages: { Upsert: [{ Number: 1, Image: [key] }] } } },
  )
  const page = (await papers.table('ana', 'Pages')).Rows[0]
  expect(page?.Image).toMatchObject([{ Path: key, ContentType: 'image/png' }])
  const refused = await papers.submit(
    'ana',
    'Papers',
    { Id: saved.Values.Id },
    { Details: { Pages: { Upsert: [{ Number: 2 }, { Number: 3, Image: ['gone'] }] } } },
  )
  const places = ['Pages[0].Image', 'Pages[1].Image']
  expect(Object.keys(refused.body.fieldErrors ?? {})).toEqual(places)
  expect(await papers.kept()).toEqual([key])
  const gone = { Details: { Pages: { Delete: [{ Id: page?.Id }] } } }
  await papers.save('ana', 'Papers', { Id: saved.Values.Id }, gone)
  expect(await papers.kept()).toEqual([])
})

test('files go with their record: deleted, cascaded, emptied by a statement', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const folder = (await papers.save('ana', 'Folders', { Title: 'all' })).Values.Id
  const inFolder = { more: { FolderId: folder } }
  const first = await papers.paper('ana', [text('1')], inFolder)
  const second = await papers.paper('ana', [text('2')], inFolder)
  const third = await papers.paper('ana', [text('3')])
  const image = await papers.key('ana', png(), { object: 'Pages', field: 'Image' })
  await papers.save('ana', 'Pages', { PaperId: second.id, Number: 1, Image: image })
  expect(await papers.kept()).toHaveLength(4)
  await papers.remove('ana', 'Papers', { Id: first.id })
  expect(await papers.kept()).toHaveLength(3)
  // From the folder to its papers to their pages.
  await papers.remove('ana', 'Folders', { Id: folder })
  expect(await papers.kept()).toEqual(paths(third.entries))
  expect((await papers.act('ana', 'Papers', 'Empty', { Id: third.id })).status).toBe(200)
  expect(await papers.kept()).toEqual([])
  expect(await rows(papers)).toEqual([])
})

test('a file that a statement copied stays until the last record lets it go', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('shared')])
  await papers.act('ana', 'Papers', 'Copy', { Id: id })
  await papers.remove('ana', 'Papers', { Id: id })
  expect(await papers.kept()).toEqual(paths(entries))
  expect((await papers.get('bo', entries[0]?.Path ?? '')).text).toBe('shared')
  const copy = (await papers.table('ana', 'Papers')).Rows[0]
  await papers.remove('ana', 'Papers', { Id: copy?.Id })
  expect(await papers.kept()).toEqual([])
})

test('an export says what files are called', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  await papers.paper('ana', [text('1', 'a.txt'), text('2', 'b.txt')])
  await papers.save('ana', 'Papers', { Title: 'bare' })
  const shown: Record<string, string[]> = {
    csv: ['Title,Scans', 'paper,"a.txt; b.txt"', 'bare,', ''],
    jsonl: ['{"Title":"paper","Scans":"a.txt; b.txt"}', '{"Title":"bare","Scans":null}', ''],
  }
  for (const [Format, lines] of Object.entries(shown)) {
    const request = { ObjectName: 'Papers', Format, Fields: ['Title', 'Scans'] }
    const { body } = await papers.call<{ File: { FileName: string; Url: string } }>(
      'ana',
      '/export-data',
      request,
    )
    const { FileName, Url } = body.data.File
    const file = await app.fetch(Url, { as: 'ana' })
    expect(file.text.split(/\r?\n/)).toEqual(lines)
    // The same file stands under /files, for callers of its company.
    const path = Url.split('/').at(-1) ?? FileName
    const again = await papers.get('bo', path)
    expect([again.status, again.text]).toEqual([200, file.text])
    expect(again.headers.get('content-disposition')).toStartWith('attachment;')
    expect(again.headers.get('content-type')).toBe(file.headers.get('content-type'))
    expect((await papers.get('cy', path)).status).toBe(404)
  }
})

test('an action takes files as a parameter', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id } = await papers.paper('ana', [text('one')])
  const key = await papers.key('bo', text('more'), { field: 'More' })
  const foreign = await papers.act('ana', 'Papers', 'Attach', { Id: id, More: [key] })
  expect(Object.keys(foreign.body.fieldErrors ?? {})).toEqual(['More'])
  expect((await papers.act('bo', 'Papers', 'Attach', { Id: id, More: [key] })).status).toBe(200)
  const { Sealed } = (await papers.form('ana', 'Papers', { Id: id })).Values
  expect(Sealed).toEqual([{ Path: key, FileName: 'note.txt', ContentType: 'text/plain', Size: 4 }])
  expect((await papers.get('ana', key)).text).toBe('more')
  // Once more, together and with what a client makes of an entry: it stays what it is.
  const forged = [{ Path: key, FileName: 'x.html', ContentType: 'text/html', Size: 0 }]
  const again = await Promise.all(
    [[key], [key, key], forged].map((More) =>
      papers.act('bo', 'Papers', 'Attach', { Id: id, More }),
    ),
  )
  expect(again.every(({ status }) => status === 200 || status === 400)).toBe(true)
  expect((await papers.form('ana', 'Papers', { Id: id })).Values.Sealed).toEqual(Sealed)
  expect((await papers.get('ana', key)).text).toBe('more')
  expect((await papers.upload('dee', [text('x')], { field: 'More' })).status).toBe(401)
})

test('Strapi CVE-2026-22707: an action takes its own uploads, within its limits', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('one')])
  expect((await papers.upload('ana', [text('x')], { field: 'Ink' })).status).toBe(400)
  const key = await papers.key('ana', text('#!/bin/sh', 'run.png'))
  const other = await papers.paper('ana', [text('two')])
  for (const name of [key, other.entries[0]?.Path, 'nothing']) {
    const { status, body } = await papers.act('ana', 'Papers', 'Stamp', { Id: id, Ink: [name] })
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([400, ['Ink']])
  }
  const ink = await papers.key('ana', png(), { field: 'Ink' })
  expect((await papers.act('ana', 'Papers', 'Stamp', { Id: id, Ink: [ink] })).status).toBe(200)
  const { Scans, Sealed } = (await papers.form('ana', 'Papers', { Id: id })).Values
  expect(Scans).toEqual(entries)
  expect(Sealed).toMatchObject([{ Path: ink, ContentType: 'image/png' }])
  expect((await papers.act('ana', 'Papers', 'Stamp', { Id: id })).status).toBe(200)
})

test('Strapi CVE-2026-22707: an import has no way to a file', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { entries } = await papers.paper('bo', [text('theirs')])
  const key = await papers.key('ana', text('mine'))
  const forged = { Path: entries[0]?.Path, FileName: 'x.html', ContentType: 'text/html', Size: 1 }
  for (const value of [key, [key], [forged], '../../engine.db']) {
    const file = `${JSON.stringify({ Title: 'imported', Scans: value })}\n`
    const form = new FormData()
    form.set('objectName', 'Papers')
    form.set('file', new File([file], 'papers.jsonl'))
    const headers = { Authorization: `Bearer ${app.tokens.ana}` }
    const path = 'http://localhost/api/v1/svc/object/import-data'
    const answer = await app.handle(new Request(path, { method: 'POST', body: form, headers }))
    expect([200, 400]).toContain(answer.status)
  }
  const { Rows } = await papers.table('ana', 'Papers', { Sort: [{ Field: 'Id' }] })
  expect(Rows.slice(1).every(({ Scans }) => Scans === null)).toBe(true)
  expect(Rows[0]?.Scans).toEqual(entries)
  expect((await papers.get('ana', entries[0]?.Path ?? '')).headers.get('content-type')).toBe(
    'text/plain; charset=utf-8',
  )
  expect((await papers.drop('ana', key)).status).toBe(200)
})

test('a record of audit says which files came and went', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('one')])
  await papers.remove('ana', 'Papers', { Id: id })
  const found = await app.store.all({
    sql: `SELECT Changes FROM svc_audit WHERE Entity = 'Paper' ORDER BY Id`,
    args: {},
    runs: 'inline',
  })
  expect(found.map(({ Changes }) => JSON.parse(String(Changes)).Scans)).toEqual([
    [null, JSON.stringify(entries)],
    [JSON.stringify(entries), null],
  ])
})

test('files follow an entity and a column that are called otherwise; dropped ones go', async () => {
  const clock = new TestClock()
  const { app, papers } = await openPapers({ clock })
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('kept')])
  const secret = await papers.paper('ana', [text('lost')], { field: 'Secret' })
  const renamed = (PAPERS.files[0]?.body ?? '')
    .replaceAll(/(References|Entity)="Paper"/g, '$1="Document"')
    .replace('<Entity Name="Paper"', '<Entity Name="Document" Was="Paper"')
    .replace('Name="Scans" Type', 'Name="Images" Was="Scans" Type')
    .replaceAll('Scans', 'Images')
    .replace('Was="Images"', 'Was="Scans"')
    .replace('<Column Name="Secret" Type="File"/>', '')
    .replace('<Field Name="Secret" In="None"/>', '')
    .replaceAll(/<FieldRule Resource="Papers" Field="Secret" Access="Hidden"\/>/g, '')
  const { store, models } = app.context
  const files = [{ name: 'papers.xml', body: renamed }]
  const { plan, isDone } = await deployModel(store, models, files, { allowDataLoss: true }, clock)
  expect([plan.faults, isDone]).toEqual([[], true])
  expect((await papers.form('bo', 'Papers', { Id: id })).Values.Images).toEqual(entries)
  expect((await papers.get('bo', entries[0]?.Path ?? '')).text).toBe('kept')
  expect((await papers.get('bo', secret.entries[0]?.Path ?? '')).status).toBe(404)
  await app.context.files.sweep()
  clock.pass(DAY)
  await app.context.files.sweep()
  expect(await papers.kept()).toEqual(paths(entries))
})
