/** Temporary uploads: POST /upload, DELETE /upload/{uploadKey} (Object endpoints). */
import { expect, test } from 'bun:test'
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, MINUTE } from '../../../src/kernel/setting.ts'
import { DISK_RESERVE_BYTES, requireRoom } from '../../../src/engine/files/disk-reserve.ts'
import { openFileSweeper } from '../../../src/engine/files/uploads.ts'
import { TestClock } from '../../support/identity.ts'
import { openPapers, png, text } from '../../support/papers.ts'

const HOUR_MS = 3_600_000
const MB = 1024 * 1024

test('files wait for their record, told by their bytes, under ids of their own', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { status, body } = await papers.upload('ana', [text('hello', 'héllo.txt'), png('x.html')])
  expect(status).toBe(200)
  expect(body.data).toMatchObject([
    { FileName: 'héllo.txt', ContentType: 'text/plain', Size: 5, FieldName: 'Scans' },
    { FileName: 'x.html', ContentType: 'image/png', FieldName: 'Scans' },
  ])
  expect(await papers.kept()).toEqual(body.data.map(({ UploadKey }) => UploadKey).sort())
  expect(papers.received()).toEqual([])
})

test('what is not declared or not fillable is 400 by its name, and nothing stays', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const faults = async (as: string, object: string, field: string, view?: string) => {
    const { status, body } = await papers.upload(as, [text('x')], {
      object,
      field,
      ...(view !== undefined && { view }),
    })
    return [status, Object.keys(body.fieldErrors ?? {})]
  }
  expect(await faults('ana', 'Nothing', 'Scans')).toEqual([400, ['objectName']])
  expect(await faults('ana', '', 'Scans')).toEqual([400, ['objectName']])
  expect(await faults('ana', 'Papers', 'Nothing')).toEqual([400, ['fieldName']])
  expect(await faults('ana', 'Papers', 'Title')).toEqual([400, ['fieldName']])
  expect(await faults('ana', 'Papers', 'Sealed')).toEqual([400, ['fieldName']])
  expect(await faults('ana', 'Papers', 'Scans', 'Folders')).toEqual([400, ['viewId']])
  expect(await faults('ana', 'Papers', 'scans', 'papers')).toEqual([200, []])
  // Hidden, read-only and unknown fields read the same.
  const kim = await papers.upload('kim', [text('x')], { field: 'Secret' })
  expect(kim.body.fieldErrors).toEqual(
    (await papers.upload('kim', [text('x')], { field: 'Nothing' })).body.fieldErrors ?? {},
  )
  expect(await faults('kim', 'Papers', 'Photo')).toEqual([400, ['fieldName']])
  expect(await papers.kept()).toHaveLength(1)
})

test('who may neither create nor update the object is refused, whatever the field', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  for (const field of ['Scans', 'Nothing']) {
    for (const as of ['dee', 'xi']) {
      const { status, body } = await papers.upload(as, [text('x')], { field })
      expect([as, status, body.code]).toEqual([as, 401, 'PERMISSION_DENIED'])
    }
  }
  const form = new FormData()
  form.set('file', text('before its names'))
  form.set('objectName', 'Papers')
  form.set('fieldName', 'Scans')
  expect((await papers.send('xi', form)).status).toBe(401)
  expect((await papers.send('ana', form)).status).toBe(200)
  expect(await papers.kept()).toHaveLength(1)
  expect(papers.received()).toEqual([])
})

test('ASVS 9.2.2: the key of an upload opens nothing', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { body } = await papers.upload('ana', [text('hello')])
  const key = body.data[0]?.UploadKey ?? ''
  expect(key).not.toBe('')
  const headers = { Authorization: `Bearer ${key}` }
  expect((await app.fetch('/api/v1/auth/me', { headers })).status).toBe(401)
  const NewPassword = 'seven birds over the hill'
  for (const [path, asked, status] of [
    ['refresh', { RefreshToken: key }, 401],
    ['password/reset', { Token: key, NewPassword }, 400],
    ['mfa/verify', { ChallengeId: key, Code: '123456' }, 401],
  ] as const)
    expect((await app.fetch(`/api/v1/auth/${path}`, { body: asked })).status).toBe(status)
})

test('a form without a file, or with more than the column takes, is 400', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  expect((await papers.upload('ana', [])).body.fieldErrors).toEqual({
    file: 'The form has no file',
  })
  const four = [text('1'), text('2'), text('3'), text('4')]
  expect((await papers.upload('ana', four)).body.fieldErrors).toEqual({
    file: 'At most 3 files are allowed',
  })
  expect(await papers.kept()).toEqual([])
  expect(papers.received()).toEqual([])
})

test('the column says how large a file is and of which types', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const photo = { field: 'Photo' }
  expect((await papers.upload('ana', [png()], photo)).status).toBe(200)
  const pdf = new File(['%PDF-1.7\n<script>alert(1)</script>'], 'x.png', { type: 'image/png' })
  expect((await papers.upload('ana', [pdf], photo)).body.data[0]?.ContentType).toBe(
    'application/pdf',
  )
  const page = new File(['<html></html>'], 'x.png', { type: 'image/png' })
  expect((await papers.upload('ana', [page], photo)).body.fieldErrors).toEqual({
    file: 'Photo: the file type must be one of: image/*, application/pdf',
  })
  const large = new File([await png().bytes(), new Uint8Array(2000)], 'x.png')
  const { status, body } = await papers.upload('ana', [large], photo)
  expect([status, body.code]).toEqual([413, 'TOO_LARGE'])
  // Judged after the file too, where the names stand behind it.
  const form = new FormData()
  form.set('file', large)
  form.set('objectName', 'Papers')
  form.set('fieldName', 'Photo')
  expect((await papers.send('ana', form)).status).toBe(413)
  expect(await papers.kept()).toHaveLength(2)
  expect(papers.received()).toEqual([])
})

test('names of files are for people: no paths, controls, directions or endless ones', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const names = {
    '../../etc/passwd': 'passwd',
    '..\\..\\boot.ini': 'boot.ini',
    'a\0b.txt': 'ab.txt',
    'invoice\u202Efdp.exe': 'invoicefdp.exe',
    'CON.txt': '_CON.txt',
    '...': 'file',
    'a"b.txt': 'a_b.txt',
    [`${'n'.repeat(300)}.pdf`]: `${'n'.repeat(196)}.pdf`,
  }
  for (const [given, shown] of Object.entries(names)) {
    const { body } = await papers.upload('ana', [text('x', given)])
    expect(body.data.map(({ FileName }) => FileName)).toEqual([shown])
  }
  for (const id of await papers.kept()) expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

test('foreign keys: DELETE and submit of others’ uploads are as if they never were', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const key = await papers.key('ana', text('mine'))
  const never = '01a20064-4dfb-766c-8a31-5a1f6f9f8f11'
  const plain = (answer: string) => answer.replace(/"traceId":"\w+"/, '')
  for (const as of ['bo', 'cy', 'sys', 'xi']) {
    const [foreign, missing] = [await papers.drop(as, key), await papers.drop(as, never)]
    expect(foreign.status).toBe(404)
    expect(plain(foreign.text)).toBe(plain(missing.text))
    expect((await papers.get(as, key)).status).toBe(404)
  }
  for (const as of ['bo', 'cy']) {
    const stolen = await papers.submit(as, 'Papers', { Scans: [key] })
    expect(stolen.status).toBe(400)
    expect(Object.keys(stolen.body.fieldErrors ?? {})).toEqual(['Scans'])
    const { body } = await papers.submit(as, 'Papers', { Scans: [never] })
    expect(body.fieldErrors).toEqual(stolen.body.fieldErrors ?? {})
  }
  expect(await papers.kept()).toEqual([key])
  expect((await papers.get('ana', key)).text).toBe('mine')
  expect(await papers.drop('ana', key)).toMatchObject({
    status: 200,
    body: { data: 'The upload was removed' },
  })
  expect(await papers.kept()).toEqual([])
  expect((await papers.drop('ana', key)).status).toBe(404)
})

test('what waits is bounded for each user', async () => {
  const { app, papers } = await openPapers({ settings: { 'Svc:Uploads:UserQuota': '1000' } })
  await using _app = app
  const half = (): File => text('x'.repeat(500))
  const key = await papers.key('ana', half())
  await papers.key('ana', half())
  const { status, body } = await papers.upload('ana', [text('y')])
  expect([status, body.code]).toEqual([413, 'UPLOAD_QUOTA'])
  expect((await papers.upload('bo', [half()])).status).toBe(200)
  await papers.drop('ana', key)
  // All of a form or nothing.
  expect((await papers.upload('ana', [half(), half()])).status).toBe(413)
  expect(await papers.kept()).toHaveLength(2)
  await papers.save('ana', 'Papers', { Scans: [await papers.key('ana', half())] })
  expect((await papers.upload('ana', [half()])).status).toBe(200)
})

test('what nobody takes over expires, and is swept', async () => {
  const clock = new TestClock()
  const { app, papers } = await openPapers({ clock })
  await using _app = app
  const { body } = await papers.upload('ana', [text('old'), text('young')])
  const [old, young] = body.data.map(({ UploadKey }) => UploadKey)
  expect(body.data[0]?.ExpiresAt).toBe(new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString())
  const soon = new Date(clock.now().getTime() + HOUR_MS).toISOString()
  const shorten = 'UPDATE svc_uploads SET ExpiresAt = @soon WHERE Key = @old'
  await app.store.write((tx) => tx.run(shorten, { soon, old: old ?? '' }), {
    company: 'all',
    because: 'a test',
  })
  clock.pass(HOUR_MS - 1)
  expect((await papers.get('ana', old ?? '')).status).toBe(200)
  clock.pass(1)
  expect((await papers.get('ana', old ?? '')).status).toBe(404)
  expect((await papers.drop('ana', old ?? '')).status).toBe(404)
  const late = await papers.submit('ana', 'Papers', { Scans: [old, young] })
  expect(Object.keys(late.body.fieldErrors ?? {})).toEqual(['Scans'])
  const sweeper = openFileSweeper(app.context)
  await sweeper.start()
  await sweeper.stop()
  expect(await papers.kept()).toEqual([young ?? ''])
})

test('stray files: what no row names goes a day later, what is not ours stays', async () => {
  const clock = new TestClock()
  const { app, papers } = await openPapers({ clock })
  await using _app = app
  const { entries } = await papers.paper('ana', [text('known')])
  const key = entries[0]?.Path ?? ''
  const stray = '01a20064-4dfb-766c-8a31-5a1f6f9f8f11'
  writeFileSync(join(app.folder, 'files', stray), 'of a process that ended')
  writeFileSync(join(app.folder, 'files', 'README'), 'of somebody else')
  mkdirSync(join(app.folder, 'uploads'), { recursive: true })
  writeFileSync(join(app.folder, 'uploads', stray), 'half of a file')
  await app.context.files.clearReceived()
  expect(papers.received()).toEqual([])
  await app.context.files.sweep()
  clock.pass(DAY - MINUTE)
  await app.context.files.sweep()
  expect(await papers.kept()).toEqual([key, stray, 'README'].sort())
  clock.pass(MINUTE)
  await app.context.files.sweep()
  expect(await papers.kept()).toEqual([key, 'README'].sort())
})

test('a file that an older engine.db does not know waits for the newer one', async () => {
  const clock = new TestClock()
  const { app, papers } = await openPapers({ clock })
  await using _app = app
  const [path] = (await papers.paper('ana', [text('newer')])).entries.map(({ Path }) => Path)
  const all = { company: 'all', because: 'a test' } as const
  const move = (to: string) =>
    app.store.write((tx) => tx.run(`UPDATE svc_files SET Path = '${to}'`), all)
  await move('of an older engine.db')
  await app.context.files.sweep()
  clock.pass(DAY - MINUTE)
  await move(path ?? '')
  await app.context.files.sweep()
  clock.pass(MINUTE)
  // From here on it waits anew.
  await move('of an older engine.db')
  await app.context.files.sweep()
  expect(await papers.kept()).toEqual([path ?? ''])
})

test('under one key an upload happens once, and a repeat sends no file', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const headers = { 'Idempotency-Key': 'u1' }
  const first = await papers.upload('ana', [text('once')], { headers })
  const again = await papers.upload('ana', [text('whatever else')], { headers })
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect(await papers.kept()).toHaveLength(1)
  // Another user's key is another one; one who lost the right gets no replay.
  expect((await papers.upload('bo', [text('mine')], { headers })).status).toBe(200)
  expect((await papers.upload('xi', [text('none')], { headers })).status).toBe(401)
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      papers.upload('ana', [text('race')], { headers: { 'Idempotency-Key': 'u2' } }),
    ),
  )
  const statuses = new Set(all.map(({ status }) => status))
  expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true)
  expect(await papers.kept()).toHaveLength(3)
})

test('a refused upload leaves its key unused', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const headers = { 'Idempotency-Key': 'u3' }
  const page = new File(['<html></html>'], 'x.png')
  expect((await papers.upload('ana', [page], { field: 'Photo', headers })).status).toBe(400)
  expect((await papers.upload('ana', [png()], { field: 'Photo', headers })).status).toBe(200)
})

test('a form announces no more room than its field would take', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${value}\r\n`
  const form =
    part('objectName', 'Papers') + part('fieldName', 'Photo') + part('file; filename=a.png', 'x')
  const rest = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(form))
      await rest.promise
      controller.enqueue(new TextEncoder().encode('--b--\r\n'))
      controller.close()
    },
  })
  const answer = app.handle(
    new Request('http://localhost/api/v1/svc/object/upload', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${app.tokens.ana}`,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': String(1900 * MB),
      },
      body,
    }),
  )
  while (papers.received().length === 0) await Bun.sleep(5)
  const { bavail, bsize } = statfsSync(app.folder)
  await requireRoom(app.folder, bavail * bsize - DISK_RESERVE_BYTES - 1000 * MB)
  rest.resolve()
  expect((await answer).status).toBe(400)
})
