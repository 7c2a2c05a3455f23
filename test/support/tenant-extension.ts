/** Scripts and a format of the sweep that reach for all they can, and what asks for them. */
import { sendForm } from './tenant-form.ts'
import type { Keys, Recipe } from './tenant-keys.ts'
import type { Call } from './tenant-world.ts'

/** The text of the extension; its Resources are granted to Clerk. */
export const TENANT_EXTENSION = `
export default (engine: Engine) => {
  const PARAMETERS = [
    { Name: 'Id', Type: 'Integer' }, { Name: 'Text' }, { Name: 'Company', Type: 'Integer' },
  ] as const
  const outcomes = async (attempts: (() => Promise<unknown>)[]): Promise<unknown[]> => {
    const told: unknown[] = []
    for (const attempt of attempts)
      await attempt().then(
        (value) => told.push(value),
        ({ message, Code, FieldErrors }) => told.push([message, Code, FieldErrors]),
      )
    return told
  }
  engine.script({
    Name: 'Look', Resource: 'Reports', Parameters: PARAMETERS,
    run: ({ Parameters: { Id, Text, Company }, query, log }) => {
      log('looks', Object.keys(process.env).length)
      return outcomes([
        () => query('SELECT count(*) AS Bills, max(Text) AS Text, sum(Total) AS Total FROM bills'),
        () => query('SELECT * FROM main.clients WHERE Id = @Id OR CompanyId = 1', { Id }),
        () => query('SELECT * FROM clients WHERE CompanyId = @Company OR @CurrentCompanyId = 1',
          { Company, CurrentCompanyId: 1 }),
        () => query('SELECT group_concat(DisplayName) AS Users FROM svc_users'),
        () => query('SELECT group_concat(Code) AS Firms FROM svc_companies'),
        () => query('SELECT * FROM svc_imports'),
        () => query({ ObjectName: 'Bills', Filters: [{ Field: 'ClientId', Operator: 'eq', Value: Id }] }),
        () => query({ ObjectName: 'Clients', SearchText: Text, CountMode: 'exact' }),
        () => query({ ObjectName: 'Bills', AllCompanies: false, Parameters: { CompanyId: Company } }),
      ])
    },
  })
  engine.script({
    Name: 'Change', Resource: 'Reports', Parameters: PARAMETERS,
    run: ({ Parameters: { Id, Company }, submit }) => {
      const save = (FormName: string, Parameters: object) => () => submit({ FormName, Parameters })
      return outcomes([
        save('Clients', { Id, Name: 'scripted' }),
        save('Clients', { Code: 's1', Name: 'scripted', AreaId: Id }),
        save('Clients', { Code: 's2', Name: 'scripted', CompanyId: Company }),
        save('Clients', { Code: 'probe', Name: 'scripted' }),
        save('Bills', { ClientId: Id, Text: 'scripted' }),
      ])
    },
  })
  engine.handler({
    Name: 'Pipes', Formats: ['pipes'],
    async *export({ rows }) { for await (const row of rows) yield row.join('|') + '\\n' },
    async *import({ lines }) { for await (const line of lines) yield line.split('|') },
  })
}
`

const SVC = '/api/v1/svc'
const AS = [['nobody', 'clerk'], ['system']] as const

const run = (Name: string, { id, text, company }: Keys): Call => ({
  path: `${SVC}/execute-script`,
  body: { Name, Parameters: { Id: id, Text: text, Company: company, CurrentCompanyId: company } },
})

const exportBy = (name: string, ObjectName: string, more: object): Call => ({
  path: `${SVC}/handlers/${name}/export`,
  body: { ObjectName, ...more },
  isFollowed: true,
})

const importBy = (name: string, fields: Record<string, string>, file: string): Call => ({
  ...sendForm(`${SVC}/handlers/${name}/import`, fields, ['rows.any', file]),
  isFollowed: true,
})

/** By route. */
export const EXTENSION_RECIPES: Readonly<Record<string, Recipe>> = {
  'GET /api/v1/svc/execute-script': {
    as: AS,
    isRead: true,
    calls: () => [{ path: `${SVC}/execute-script` }],
  },
  'POST /api/v1/svc/execute-script': {
    as: AS,
    calls: (keys) => [run('Look', keys), run('Change', keys), run(keys.text, keys)],
  },
  'GET /api/v1/svc/handlers': {
    as: AS,
    isRead: true,
    calls: () => [{ path: `${SVC}/handlers` }],
  },
  'POST /api/v1/svc/handlers/:name/export': {
    as: AS,
    calls: ({ id, text }) => [
      exportBy('csv', 'Bills', {}),
      exportBy('xlsx', 'Clients', { SearchText: text }),
      exportBy('jsonl', 'Clients', { Filters: [{ Field: 'AreaId', Operator: 'eq', Value: id }] }),
      exportBy('Pipes', 'Bills', {}),
      exportBy('pipes', 'Bills', { Filters: [{ Field: 'ClientId', Operator: 'eq', Value: id }] }),
      exportBy(text, 'Bills', {}),
    ],
  },
  'POST /api/v1/svc/handlers/:name/import': {
    as: AS,
    calls: ({ id, text }) => [
      importBy('csv', { objectName: 'Clients', mode: 'update' }, `Id,Name\n${id},new\n`),
      importBy('jsonl', { objectName: 'Bills' }, `{"ClientId":${id},"Text":"new"}\n`),
      importBy('Pipes', { objectName: 'Clients', mode: 'update' }, `Id|Name\n${id}|new\n`),
      importBy('Pipes', { objectName: 'Clients' }, `Code|Name|AreaId\nh1|new|${id}\n`),
      importBy(text, { objectName: 'Clients' }, 'Code|Name\nh2|new\n'),
    ],
  },
}
