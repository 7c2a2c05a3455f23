/** Sort values of a page's last row, as its text tells them. */
import { expect, test } from 'bun:test'
import { readSortValues } from '../../src/engine/object/read/cursor.ts'

const shown = (field: string) => ({ field, isShown: true })
const beside = (field: string) => ({ field, isShown: false })

test('are read off the row, and off what stands beside it, in the order of the sort', () => {
  const row = '{"At":"2026-01-02","Name":"a\\n\\"b","Id":7,"Gone":null,"Half":0.5}'
  const columns = [beside('Total'), shown('At'), shown('Gone'), beside('Margin'), shown('Id')]
  const values = ['r1.05', 't2026-01-02', null, null, 'i7']
  expect(readSortValues(columns, row, '["r1.05",null]')).toEqual(values)
  const others = [shown('Name'), shown('Half')]
  expect(readSortValues(others, row, '')).toEqual(['ta\n"b', 'r0.5'])
})

test('keep every digit of a whole number', () => {
  const row = '{"Id":9007199254740993,"Low":-9223372036854775808,"Zero":0,"Far":{"Id":1}}'
  const columns = [shown('Id'), shown('Low'), shown('Zero')]
  const values = ['i9007199254740993', 'i-9223372036854775808', 'i0']
  expect(readSortValues(columns, row, '')).toEqual(values)
})

test('stand beside the row where it shows none of them', () => {
  expect(readSortValues([beside('Total')], 'no JSON', '["r2.0"]')).toEqual(['r2.0'])
})
