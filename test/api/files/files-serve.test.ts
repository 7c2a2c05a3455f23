/** `/files/{path}`: who gets a stored file, and how it is sent. */
import { expect, test } from 'bun:test'
import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPapers, png, text } from '../../support/papers.ts'

const plain = (answer: string): string => answer.replace(/"traceId":"\w+"/, '')

test('a submit takes uploads over; forms, grids and /files have them', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { id, entries } = await papers.paper('ana', [text('one', 'a.txt'), png()])
  expect(entries).toMatchObject([
    { FileName: 'a.txt', ContentType: 'text/plain', Size: 3 },
    { FileName: 'dot.png', ContentType: 'image/png' },
  ])
  expect((await papers.form('bo', 'Papers', { Id: id })).Values.Scans).toEqual(entries)
  expect((await papers.table('bo', 'Papers')).Rows[0]?.Scans).toEqual(entries)
  const { status, text: content, headers } = await papers.get('bo', entries[0]?.Path ?? '')
  expect([status, content, headers.get('content-type')]).toEqual([
    200,
    'one',
    'text/plain; charset=utf-8',
  ])
})

test('who may View the record and the field has its file; all else reads as missing', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const missing = await papers.get('ana', '01a20064-4dfb-766c-8a31-5a1f6f9f8f11')
  const seen = async (as: string, path: string) => {
    const { status, text: answer } = await papers.get(as, path)
    if (status !== 200) expect(plain(answer)).toBe(plain(missing.text))
    return status
  }
  const north = await papers.paper('ana', [text('n')])
  const south = await papers.paper('ana', [text('s')], { more: { Region: 'south' } })
  const secret = await papers.paper('ana', [text('x')], { field: 'Secret' })
  const [n, s, x] = [north, south, secret].map(({ entries }) => entries[0]?.Path ?? '')
  const statuses = async (as: string) => [
    await seen(as, n ?? ''),
    await seen(as, s ?? ''),
    await seen(as, x ?? ''),
  ]
  expect(await statuses('ana')).toEqual([200, 200, 200])
  expect(await statuses('sys')).toEqual([200, 200, 200])
  // A row filter, a hidden field, another company, no role, nobody.
  expect(await statuses('dee')).toEqual([200, 404, 404])
  expect(await statuses('kim')).toEqual([200, 200, 404])
  expect(await statuses('cy')).toEqual([404, 404, 404])
  expect(await statuses('xi')).toEqual([404, 404, 404])
  expect((await app.fetch(`/files/${n}`)).status).toBe(401)
  // A record that moves out of sight takes its files along.
  await papers.save('ana', 'Papers', { Id: north.id, Region: 'south' })
  expect(await seen('dee', n ?? '')).toBe(404)
})

test('System reads the files of another company only by saying so', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { entries } = await papers.paper('cy', [text('two')])
  const path = entries[0]?.Path ?? ''
  expect((await papers.get('sys', path)).status).toBe(404)
  expect((await papers.get('sys', `${path}?AllCompanies=true`)).status).toBe(200)
  expect((await papers.get('ana', `${path}?AllCompanies=true`)).status).toBe(404)
})

test('Strapi CVE-2026-22707: only pictures, PDF and plain text are shown in place', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const contents: Record<string, [content: string, name: string]> = {
    'text/html': ['<!doctype html><script>alert(1)</script>', 'a.png'],
    'image/svg+xml': ['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'b.png'],
    'application/xml': ['<?xml version="1.0"?><a/>', 'c.pdf'],
    'text/javascript': ['alert(1)', 'd.js'],
    'application/pdf': ['%PDF-1.7\n/JavaScript (app.alert(1))', 'e.png'],
    'text/plain': ['words', 'f.txt'],
    'application/octet-stream': ['\0\x01\x02\x03', 'g.png'],
  }
  const inline = new Set(['application/pdf', 'text/plain'])
  for (const [type, [content, name]] of Object.entries(contents)) {
    const file = new File([content], name, { type: 'image/png' })
    const key = await papers.key('ana', file)
    const waiting = await papers.get('ana', key)
    const { Values } = await papers.save('ana', 'Papers', { Scans: [key] })
    expect(Values.Scans).toMatchObject([{ ContentType: type, FileName: name }])
    for (const { headers } of [waiting, await papers.get('bo', key)]) {
      expect(headers.get('content-type')?.replace(/;.*/, '')).toBe(type)
      const disposition = headers.get('content-disposition') ?? ''
      expect(disposition).toStartWith(inline.has(type) ? 'inline;' : 'attachment;')
      expect(headers.get('content-security-policy')).toBe('sandbox')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  }
})

test('ranges, conditions and HEAD', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { entries } = await papers.paper('ana', [text('0123456789')])
  const path = entries[0]?.Path ?? ''
  const ask = async (headers: Record<string, string>) => {
    const answer = await papers.get('ana', path, headers)
    return [answer.status, answer.text, answer.headers.get('content-range')]
  }
  const { headers } = await papers.get('ana', path)
  const etag = headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect(headers.get('accept-ranges')).toBe('bytes')
  const whole = [200, '0123456789', null]
  expect(await ask({ Range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10'])
  expect(await ask({ Range: 'bytes=7-' })).toEqual([206, '789', 'bytes 7-9/10'])
  expect(await ask({ Range: 'bytes=-2' })).toEqual([206, '89', 'bytes 8-9/10'])
  expect(await ask({ Range: 'bytes=-99' })).toEqual([206, '0123456789', 'bytes 0-9/10'])
  expect(await ask({ Range: 'bytes=9-99' })).toEqual([206, '9', 'bytes 9-9/10'])
  expect(await ask({ Range: 'bytes=0-1,4-5' })).toEqual(whole)
  for (const odd of ['bytes=4-2', 'bytes=-', 'lines=1-2', 'bytes=a-b', '']) {
    expect(await ask({ Range: odd })).toEqual(whole)
  }
  for (const range of ['bytes=10-', 'bytes=-0', 'bytes=99-100']) {
    const [status, answer, told] = await ask({ Range: range })
    expect([status, told]).toEqual([416, 'bytes */10'])
    expect(JSON.parse(String(answer))).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' })
  }
  expect(await ask({ Range: 'bytes=2-4', 'If-Range': etag })).toEqual([206, '234', 'bytes 2-4/10'])
  expect(await ask({ Range: 'bytes=2-4', 'If-Range': '"other"' })).toEqual(whole)
  expect(await ask({ 'If-None-Match': `"other", W/${etag}` })).toEqual([304, '', null])
  expect(await ask({ 'If-None-Match': '"other"' })).toEqual(whole)
  // One who may not see it learns nothing from what he guesses of it.
  expect((await papers.get('xi', path, { 'If-None-Match': '*' })).status).toBe(404)
})

test('the name of a file survives its header', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { entries } = await papers.paper('ana', [text('x', "Größe; it's 100%.txt")])
  const { headers } = await papers.get('ana', entries[0]?.Path ?? '')
  expect(headers.get('content-disposition')).toBe(
    'inline; filename="Gro_e; it\'s 100_.txt"; ' +
      "filename*=UTF-8''Gr%C3%B6%C3%9Fe%3B%20it%27s%20100%25.txt",
  )
})

test('NocoDB CVE-2023-35843: no name leads out of the folder', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  writeFileSync(join(app.folder, 'files', 'secret'), 'not ours')
  symlinkSync(
    join(app.folder, 'engine.db'),
    join(app.folder, 'files', '01a20064-4dfb-766c-8a31-5a1f6f9f8f11'),
  )
  const key = await papers.key('ana', text('mine'))
  const names = [
    ...['..%2fengine.db', '..%5cengine.db', '%252e%252e%252fengine.db', '%2e%2e', '.', '..'],
    ...['%2fetc%2fpasswd', '/etc/passwd', 'a%00b', `${key}%00`, `${key}%20`],
    ...[`..%2ffiles%2f${key}`, key.toUpperCase(), 'secret', 'x'.repeat(5000), 'con', 'nul.txt'],
    ...['01a20064-4dfb-766c-8a31-5a1f6f9f8f11', '%', '%ff', `.%2f${key}`, `${key}.txt`],
  ]
  for (const name of names) {
    for (const base of ['/files/', '/api/v1/svc/object/upload/']) {
      const method = base === '/files/' ? 'GET' : 'DELETE'
      const answer = await app.fetch(`${base}${name}`, { as: 'ana', method })
      expect([name, [400, 404, 405].includes(answer.status)]).toEqual([name, true])
      expect(answer.text).not.toContain('SQLite format')
    }
  }
  expect(await papers.kept()).toContain(key)
})

test('a file that is lost on the disk is 404, and the log says so', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const { entries } = await papers.paper('ana', [text('gone')])
  const path = entries[0]?.Path ?? ''
  unlinkSync(join(app.folder, 'files', path))
  expect((await papers.get('ana', path)).status).toBe(404)
  app.context.log.flush()
  expect(app.log.join('\n')).toContain('a file is not on the disk')
})
