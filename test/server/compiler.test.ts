/** A running server compiles with the executable that it was started with. */
import { expect, test } from 'bun:test'
import { COMPILER_HERE } from '../../src/model/compile/compile-scripts.ts'
import type { TestApp } from '../support/app.ts'
import { call, draft, report, save, startDesign } from '../support/report-designs.ts'

const post = (app: TestApp, path: string, body: object) =>
  app.fetch(`/api/v1/svc/${path}`, { as: 'root', body })

const filesOf = (body: string) => ({ Files: [{ FileName: 'new.xml', Body: body }] })

const WAYS: [string, (app: TestApp) => Promise<{ status: number }>][] = [
  ['a deploy', (app) => post(app, 'scripts', filesOf('<Rbac Name="More"/>'))],
  ['a new role', (app) => post(app, 'auth/roles', { Name: 'Fresh', Label: 'Fresh' })],
  [
    'an import of rights',
    (app) => post(app, 'auth/rbac/import', filesOf('<Rbac><Role Name="New"/></Rbac>')),
  ],
  ['a saved report', (app) => save(app, report('Stock', 'Saved'))],
  [
    'a validated report',
    (app) => call(app, 'POST', 'Stock/validate', { DefinitionXml: report('Stock', 'Checked') }),
  ],
  [
    'a preview of a draft',
    async (app) => {
      await draft(app, 'Stock', report('Stock', 'Drafted'))
      return call(app, 'GET', 'Stock/draft/structure')
    },
  ],
]

test.each(WAYS)('%s', async (_, run) => {
  let compiled = 0
  const compile: typeof COMPILER_HERE.compile = (...scripts) => {
    compiled++
    return COMPILER_HERE.compile(...scripts)
  }
  await using app = await startDesign({ compiler: { ...COMPILER_HERE, compile } })
  compiled = 0
  const { status } = await run(app)
  expect({ status, compiled }).toEqual({ status: 200, compiled: 1 })
})
