/** Columns are counted before a deploy, with what the engine adds to them. */
import { expect, test } from 'bun:test'
import { checkModel } from '../../src/model/compile/check.ts'

const KEY = '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>'

/** The faults of an entity with so many plain columns beside its key. */
async function faultsOf(count: number, { entity = '', columns = '' } = {}): Promise<string[]> {
  const plain = Array.from({ length: count }, (_, at) => `<Column Name="C${at}" Type="Text"/>`)
  const body = `<Model><Entity Name="Wide" ${entity}>${KEY}${columns}${plain.join('')}</Entity></Model>`
  const { faults } = await checkModel([{ name: 'model.xml', body }])
  return faults.map(({ message }) => message)
}

const TO_ITSELF = '<Column Name="UpId" References="Wide"/>'
const ENGINE = { entity: 'Concurrency="Enabled" Tracking="true"' }
const MOVE = 'Move some to an entity of their own that refers to Wide'

test.each([
  ['its own', 1899, {}, ''],
  ["the engine's", 1894, ENGINE, " (5 of them the engine's)"],
  [
    'a reference to itself',
    1896,
    { columns: TO_ITSELF },
    ' (each that refers to itself counts as three)',
  ],
])('an entity has at most 1,900 columns: %s', async (_, most, more, said) => {
  expect(await faultsOf(most, more)).toEqual([])
  expect(await faultsOf(most + 1, more)).toEqual([
    `Entity Wide has 1,901 columns${said}; at most 1,900. ${MOVE}`,
  ])
})
