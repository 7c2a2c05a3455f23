/** Heads of files: keys and values stand under names, what they are called under labels. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type ConfusableKeys, startConfusableKeys } from '../../support/confusable-keys.ts'
import { refusal } from '../../support/objects.ts'

let samples: ConfusableKeys

beforeAll(async () => {
  samples = await startConfusableKeys()
})
beforeEach(() =>
  samples.app.store.write((tx) => tx.run('DELETE FROM samples'), {
    company: 'all',
    because: 'a test',
  }),
)
afterAll(() => samples.app[Symbol.asyncDispose]())

const take = (file: string, fields: Record<string, string> = {}) =>
  samples.take('keeper', { objectName: 'Samples', file, fields })
const refuse = async (file: string, fields: Record<string, string> = {}) =>
  refusal(await samples.send('keeper', { objectName: 'Samples', file, fields }), 400)
const rows = async () => (await samples.table('keeper', 'Samples')).Rows

test.each<[fields: string[], head: string]>([
  [['Code', 'SoldIn'], 'Code,SoldIn'],
  [['Code', 'State', 'State__Label'], 'Code,State,Progress'],
  [['state__label', 'SoldIn__Label'], 'Progress,Place (SoldIn__Label)'],
  [['Towns', 'Towns__Label'], 'Towns,All towns'],
  // The name of one is the label of another: each with its own name behind it.
  [['TownId', 'TownId__Label'], 'TownId,Town (TownId__Label)'],
  [['Town', 'Place'], 'Town (Town),Shelf'],
  // A name that is its own label says keys, or values that labels could be taken for.
  [['Origin__Label', 'Origin'], 'Origin (Origin__Label),Origin'],
  [['Kind__Label', 'Kind'], 'Kind (Kind__Label),Kind'],
  [['Grade__Label'], 'Grade'],
  [['Grade__Label', 'Grade'], 'Grade (Grade__Label),Grade'],
])('of %j: %s', async (fields, head) => {
  expect(await samples.head(fields)).toBe(head)
})

test('without Fields options stand by label, and by value where that tells nothing', async () => {
  await samples.save('keeper', 'Samples', { Code: 's', State: 'done', Level: 'y', Grade: 2 })
  const { file } = await samples.carry({})
  const [head = '', row = ''] = new TextDecoder().decode(file).split('\r\n')
  expect(head).toContain('Progress,Grade,Level,Level (Level__Label)')
  expect(row).toContain('"Done, all of it",One,y,Same')
  const [line] = new TextDecoder()
    .decode((await samples.carry({ Format: 'jsonl' })).file)
    .split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({ State: 'done', Grade: 2, Level: 'y' })
})

test('keys are read under names, what records and options are called under labels', async () => {
  await take('Code,SoldIn,State\nkeys,2,new\n')
  await take('Code,Progress,Place (SoldIn__Label)\nlabels,Fresh,2\n')
  expect(await rows()).toMatchObject([
    { Code: 'keys', SoldIn: 2, State: 'new' },
    { Code: 'labels', SoldIn: 1, State: 'new' },
  ])
  // No record is called so: a number below labels is not the key of another one.
  expect((await refuse('Code,Place (SoldIn__Label)\nx,4\n')).fieldErrors).toEqual({
    'Rows[2].SoldIn': 'Place: there is no such town',
  })
  expect((await refuse('Code,Level\nx,SAME\n')).fieldErrors).toEqual({
    'Rows[2].Level': 'Level: more than one option has this name',
  })
})

test('a head that is the name of one field and the label of another is refused', async () => {
  const told = await refuse('Code,Place\nx,Rome\n')
  expect([told.code, told.error]).toEqual([
    'AMBIGUOUS_HEAD',
    "Column 'Place' matches several fields. Rename it to one of: 'Shelf (Place)', 'Place (SoldIn__Label)'",
  ])
  await take('Code,Shelf (Place),Place (SoldIn__Label)\nx,A1,Rome\n')
  // Who maps a head says what it is, and a member of an object bears the name of its field.
  await take('Code,Place\ny,A2\n', { mapping: '{"Place":"Place"}' })
  const file = '{"Code":"z","Place":"A3"}\n'
  await samples.take('keeper', { objectName: 'Samples', file, fileName: 'rows.jsonl' })
  expect(await rows()).toMatchObject([
    { Code: 'x', Place: 'A1', SoldIn: 4 },
    { Code: 'y', Place: 'A2', SoldIn: null },
    { Code: 'z', Place: 'A3', SoldIn: null },
  ])
})

test('labels are those of the caller: of another language they take no name away', async () => {
  expect(await samples.head(['Note', 'Kind'], 'de')).toBe('Kind (Note),Kind (Kind)')
  await take('Code,Kind\nx,a\n')
  const headers = { 'Accept-Language': 'de' }
  const file = 'Code,Kind\ny,a\n'
  const told = await samples.send('keeper', { objectName: 'Samples', file, headers })
  expect(refusal(told, 400).error).toBe(
    'Die Spalte „Kind“ passt zu mehreren Feldern. Benennen Sie sie um in eines von diesen: ' +
      "'Kind (Kind)', 'Kind (Note)'",
  )
  expect(await rows()).toMatchObject([{ Code: 'x', Kind: 'a', Note: null }])
})

test('heads of earlier files are read as they were meant', async () => {
  await take('Code,Place (SoldIn),Place,Shelf\na,2,3,A1\n')
  await take('Code,Origin (Origin),Progress (State)\nb,2,new\n')
  expect(await rows()).toMatchObject([
    { Code: 'a', SoldIn: 2, Place: 'A1' },
    { Code: 'b', Origin: 2, State: 'new' },
  ])
})

test('a template asks for what records and options are called', async () => {
  expect(await samples.templateHead()).toBe(
    'Code,All towns,Note,Kept,Count,Amount,Rate,Active,Made on,Seen at,Opens at,Tag,Extra,' +
      'Origin (Origin__Label),Town (TownId__Label),Place (SoldIn__Label),Shelf,' +
      'Maker (Maker__Label),Kind (Kind__Label),Progress,Grade,Level',
  )
})
