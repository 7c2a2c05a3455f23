/** The state of a sequence when deploys rename it, remove it and bring it back. */
import { expect, test } from 'bun:test'
import { nextNumber } from '../../src/engine/object/record/sequence.ts'
import { DeployTarget } from '../support/deploy.ts'

/** A model of papers with two numbers, by the names and former names of their sequences. */
const papers = (...sequences: { name: string; was?: string; more?: string }[]) => ({
  'papers.xml': `<Model><Entity Name="Paper" Table="papers">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  ${sequences.map(({ name }, at) => `<Column Name="N${at}" Type="Text" Sequence="${name}"/>`).join('')}
  ${sequences
    .map(
      ({ name, was, more = '' }, at) =>
        `<Sequence Name="${name}" Format="${at}-{###}" ${was ? `Was="${was}"` : ''} ${more}/>`,
    )
    .join('')}
</Entity></Model>`,
})

async function deploy(target: DeployTarget, ...sequences: Parameters<typeof papers>) {
  const { plan, isDone } = await target.deploy(papers(...sequences))
  expect({ faults: plan.faults, isDone }).toEqual({ faults: [], isDone: true })
}

/** Draws the next number of a sequence. */
async function draw(target: DeployTarget, name: string): Promise<string> {
  const model = target.models.get()
  const found = model.sequences.get(name)
  if (!found) throw new Error('The model has the sequence')
  const record = { model, companyId: 1, now: new Date(), values: new Map<string, string>() }
  return target.store.write((tx) => nextNumber(tx, found.sequence, record), { company: 1 })
}

test('Was lets a sequence count on, with what is reserved, at this deploy alone', async () => {
  await using target = await DeployTarget.open()
  await deploy(target, { name: 'Old' })
  expect([await draw(target, 'Old'), await draw(target, 'Old')]).toEqual(['0-001', '0-002'])
  await target.run(
    `INSERT INTO svc_reservations (Name, CompanyId, Period, Number, Text, Day, UserId, ExpiresAt)
     VALUES ('Old', 0, '', 1, '0-001', '2026-03-04', 7, '2999-01-01')`,
  )
  const renamed = { name: 'New', was: 'Old' }
  await deploy(target, renamed)
  expect(await draw(target, 'New')).toBe('0-003')
  expect(await target.rows('SELECT Name, UserId FROM svc_reservations')).toEqual([
    { Name: 'New', UserId: 7 },
  ])
  await deploy(target, renamed)
  await deploy(target, { ...renamed, more: 'Start="5"' })
  expect(await draw(target, 'New')).toBe('0-004')
  expect(await target.rows('SELECT Name FROM svc_sequences')).toEqual([{ Name: 'New' }])
})

test('two sequences that swap their names take their state along, once', async () => {
  await using target = await DeployTarget.open()
  await deploy(target, { name: 'A' }, { name: 'B' })
  await draw(target, 'A')
  for (let at = 0; at < 4; at++) await draw(target, 'B')
  const swapped = [
    { name: 'B', was: 'A' },
    { name: 'A', was: 'B' },
  ] as const
  await deploy(target, ...swapped)
  await deploy(target, ...swapped)
  expect([await draw(target, 'B'), await draw(target, 'A')]).toEqual(['0-002', '1-005'])
})

test('without Was, or brought back, a sequence goes on behind what its columns hold', async () => {
  await using target = await DeployTarget.open()
  await deploy(target, { name: 'Old' })
  for (let at = 0; at < 3; at++) await draw(target, 'Old')
  await target.run(`INSERT INTO papers (N0) VALUES ('0-001'), ('0-007'), ('1-099')`)
  await deploy(target, { name: 'Other', more: 'Start="40"' })
  expect(await draw(target, 'Other')).toBe('0-008')
  await deploy(target, { name: 'Old' })
  expect(await draw(target, 'Old')).toBe('0-008')
  await target.run('DELETE FROM papers')
  await deploy(target, { name: 'Third', more: 'Start="40"' })
  expect(await draw(target, 'Third')).toBe('0-040')
})

test('a folder of an earlier engine keeps its state, also under another name', async () => {
  await using target = await DeployTarget.open()
  await deploy(target, { name: 'Old' }, { name: 'Kept' })
  await draw(target, 'Old')
  await draw(target, 'Kept')
  await target.run(`DELETE FROM svc_facts WHERE Name = 'sequences'`)
  await deploy(target, { name: 'New', was: 'Old' }, { name: 'Kept' })
  expect([await draw(target, 'New'), await draw(target, 'Kept')]).toEqual(['0-002', '1-002'])
})

test.each([
  [{ name: 'A', was: 'A' }, { name: 'B' }, 'Was="A" names a Sequence that still exists'],
  [{ name: 'A', was: 'B' }, { name: 'B' }, 'Was="B" names a Sequence that still exists'],
  [{ name: 'A', was: 'C' }, { name: 'B', was: 'C' }, 'Was: Sequence B was C, too'],
])('a former name is one of nobody else: %j %j', async (one, other, message) => {
  await using target = await DeployTarget.open()
  const { plan } = await target.deploy(papers(one, other))
  expect(plan.faults.map((fault) => fault.message)).toContain(message)
})

test('a format of more parts than a statement should have is refused', async () => {
  await using target = await DeployTarget.open()
  const body = papers({ name: 'Long' })['papers.xml'].replace('{###}', `{#}${'{yy}'.repeat(40)}`)
  const { plan } = await target.deploy({ 'papers.xml': body })
  expect(plan.faults[0]?.message).toBe('Format: it has more than 30 parts in braces')
})

test('a deploy that is rolled back gives a sequence its name and numbers of before', async () => {
  await using target = await DeployTarget.open()
  await deploy(target, { name: 'Old' }, { name: 'Gone' })
  expect([await draw(target, 'Old'), await draw(target, 'Gone')]).toEqual(['0-001', '1-001'])
  await deploy(target, { name: 'New', was: 'Old' })
  expect(await draw(target, 'New')).toBe('0-002')
  const { plan, isDone } = await target.deploy({}, { rollback: true })
  expect({ ...plan, isDone }).toMatchObject({ faults: [], losses: [], isDone: true })
  expect([await draw(target, 'Old'), await draw(target, 'Gone')]).toEqual(['0-003', '1-002'])
})
