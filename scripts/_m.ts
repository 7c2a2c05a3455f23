import { existsSync } from 'node:fs'
import { growDemo } from './grow.ts'
import { configure, createApp } from '../src/app.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createLog } from '../src/kernel/log.ts'
import { openContext } from '../src/server/open-context.ts'
import { SearchRebuild } from '../src/engine/global-search/rebuild.ts'
const folder = '/tmp/searchworld'
if (!existsSync(folder)) await growDemo(folder, 200_000)
const settings = configure({ dataFolder: folder, env: {}, flags: {}, environment: 'Development' })
const context = await openContext({ folder, settings, clock: systemClock, log: createLog(systemClock, () => {}) })
let t = performance.now()
await new SearchRebuild(context).run()
console.log('build ms', Math.round(performance.now() - t), await context.store.all('select count(*) c from svc_search_entries'))
const app = createApp(context)
const login = async (UserName: string, Password: string) => {
  const r = await app.handle(new Request('http://localhost/api/v1/auth/login', { method: 'POST', body: JSON.stringify({ UserName, Password }), headers: { 'Content-Type': 'application/json' } }))
  return ((await r.json()) as any).data.AccessToken as string
}
for (const [u, p] of [['ana', 'ana-demo-password'], ['dee', 'dee-demo-password']] as const) {
  const token = await login(u, p)
  const ask = async (q: string) => { const r = await app.handle(new Request('http://localhost/api/v1/svc/search?q=' + encodeURIComponent(q), { headers: { Authorization: 'Bearer ' + token } })); return r.text() }
  for (const q of ['a', 'am', 'amb', 'ambe', 'amber', 'amber g', 'so', 'so-2024', 'so-2024-00123', 'group', 'g', 'anchor kit', '00123', '2', 'zzz', 'e', 'works']) {
    const times: number[] = []; let text = ''
    for (let i = 0; i < 9; i++) { const s = performance.now(); text = await ask(q); times.push(performance.now() - s) }
    const b = JSON.parse(text).data
    console.log(u, q.padEnd(16), 'first', times[0]!.toFixed(1), 'median', times.sort((a, b) => a - b)[4]!.toFixed(1), b.Groups?.map((g: any) => [g.Object, g.Total]).join(' '))
  }
}
await context.close()
process.exit()
