/** Broken multipart forms (fault 20): refused as what they are, and nothing of them stays. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openPapers } from '../../support/papers.ts'

const part = (head: string, body: string): string =>
  `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`

const FORM =
  part('name="objectName"', 'Papers') +
  part('name="fieldName"', 'Scans') +
  part('name="file"; filename="a.txt"', 'words of a file') +
  '--cut--\r\n'

test('a form that is broken somewhere is never a failure of the server', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const send = async (body: string, type = 'multipart/form-data; boundary=cut') => {
    const headers = { 'Content-Type': type }
    const { status } = await papers.app.fetch('/api/v1/svc/object/upload', {
      as: 'ana',
      body,
      headers,
    })
    return status
  }
  expect(await send(FORM)).toBe(200)
  const pieces = ['--cut', '\r\n', '--', ';', '"', 'name=', 'filename=', '\0', '\xff', 'é', ': ']
  const odd = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 }))
  const mutation = fc.record({ at: fc.nat(FORM.length), cut: fc.nat(30), odd })
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
      let body = FORM
      for (const { at, cut, odd: text } of mutations)
        body = body.slice(0, at) + text + body.slice(at + cut)
      expect([200, 400, 413]).toContain(await send(body))
    }),
    { numRuns: 300 },
  )
  const bodies = [
    part(`name="objectName"; ${'x'.repeat(64 * 1024)}`, 'Papers'),
    part('filename="a"', 'no name'),
    `${part('name="objectName"', 'x').repeat(2000)}--cut--\r\n`,
    `--cut\r\nContent-Type: multipart/mixed; boundary=in\r\n\r\n--in\r\n\r\nx\r\n--in--\r\n--cut--`,
    part('name="__proto__"', 'x') + FORM.replace('objectName', 'constructor[prototype]'),
    FORM.slice(0, -20),
    '',
  ]
  for (const body of bodies) expect(await send(body)).toBe(400)
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'text/plain'])
    expect(await send(FORM, type)).toBe(400)
  expect(papers.received()).toEqual([])
  expect((await papers.save('ana', 'Papers', { Title: 'still' })).Values.Title).toBe('still')
})
