/** Connections stay open while an answer is made, and only then. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createApp, listen } from '../../src/app.ts'
import { startExtended } from '../support/extensions.ts'

const SLOW = `export default (engine) => {
  const run = async () => {
    await new Promise((resolve) => setTimeout(resolve, 6000))
    return [{ A: 1 }]
  }
  engine.report({ Key: 'SlowReport', Resource: 'Notes', Formats: ['json'], run })
  engine.script({ Name: 'SlowScript', Resource: 'Reports', run })
}
`

let world: Awaited<ReturnType<typeof startExtended>>
let port: number | undefined
beforeAll(async () => {
  world = await startExtended({ 'slow.ts': SLOW }, { 'Svc:Scripts:Timeout': '60s' })
  const { context } = world.app
  port = await listen(context, createApp(context), { host: '127.0.0.1', port: 0 }, 1)
})
afterAll(async () => {
  await world.app.context.listeners.stop(true)
  await world[Symbol.asyncDispose]()
})

const ask = (path: string, body?: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    headers: {
      Authorization: `Bearer ${world.app.tokens['run']}`,
      'Content-Type': 'application/json',
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

test('a report and a script that take longer than a connection may be idle', async () => {
  const answers = await Promise.all([
    ask('/report/slowreport'),
    ask('/api/v1/svc/execute-script', { Name: 'SlowScript' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  for (const text of texts) expect(text).toContain('[{"A":1}]')
})
