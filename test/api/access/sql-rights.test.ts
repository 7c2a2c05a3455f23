/** Rights that write SQL say so where they are given. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { compileTexts } from '../../support/compile-text.ts'

const READS = 'Update allows writing SQL that reads all data of the company, even what a role hides'
const WRITES = 'Update allows writing SQL that reads and changes all tables of the company'

describe('the board', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  interface Impact {
    Name: string
    Resource: string
    Note: string | null
  }
  const notes = async (change: object, language = 'en') => {
    const matrix = await app.fetch<{ data: { Version: string } }>('/api/v1/svc/auth/board/matrix', {
      as: 'root',
      body: { Resources: ['Orders'], Principals: ['role:Clerk'] },
    })
    const { Version } = matrix.body.data
    const answer = await app.fetch<{ data: { Impact: Impact[] } }>('/api/v1/svc/auth/board/apply', {
      as: 'root',
      headers: { 'Accept-Language': language },
      body: { Version, Changes: [change], DryRun: true },
    })
    return answer.body.data.Impact.map(({ Name, Resource, Note }) => [Name, Resource, Note])
  }
  const right = (Resource: string, Verb: string, Grant = true) => ({
    Principal: 'role:Auditor',
    Resource,
    Verb,
    Grant,
  })

  test('says what Update means before it is given', async () => {
    const [reports] = await notes(right('ReportDefinitions', 'Update'))
    expect(reports).toEqual(['Auditor', 'ReportDefinitions', READS])
    const [workflows] = await notes(right('WorkflowDefinitions', 'Update'))
    expect(workflows).toEqual(['Auditor', 'WorkflowDefinitions', WRITES])
    const [german] = await notes(right('ReportDefinitions', 'Update'), 'de')
    expect(german?.[2]).toContain('Update erlaubt SQL')
  })

  test('says nothing of rights that mean no more than their names, or are taken', async () => {
    for (const change of [
      right('ReportDefinitions', 'View'),
      right('Orders', 'Update'),
      { ...right('ReportDefinitions', 'Update', false), Principal: 'role:Designer' },
    ]) {
      const told = await notes(change)
      expect(told.length).toBeGreaterThan(0)
      expect(told.map(([, , note]) => note).filter((note) => note !== null)).toEqual([])
    }
  })
})

describe('check', () => {
  test('warns of each role below Admin that may write SQL', async () => {
    const role = (name: string, verbs: string) => `<Role Name="${name}">
      <Grant Resource="ReportDefinitions" Verbs="${verbs}"/>
      <Grant Resource="WorkflowDefinitions" Verbs="${verbs}"/></Role>`
    const roles = [role('Maker', 'View Update'), role('Reader', 'View'), role('Admin', 'Update')]
    const { faults, warnings } = await compileTexts({
      'a.xml': `<Rbac>${roles.join('')}</Rbac>`,
    })
    expect(faults).toEqual([])
    expect(warnings.map((each) => each.slice(each.indexOf('Maker')))).toEqual([
      `Maker on ReportDefinitions: ${READS}`,
      `Maker on WorkflowDefinitions: ${WRITES}`,
    ])
  })
})
