/** Tables that are typed in: where keys lead, and what a block of a spreadsheet holds. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { movePlace, nextPlace } from '../../src/client/web/parts/cell-place.ts'
import { readBlock } from '../../src/client/web/parts/details/block-text.ts'

const SIZE = { rows: 3, columns: 4, isRightToLeft: false }
const from = { row: 1, column: 1 }

test.each([
  ['ArrowUp', false, [0, 1]],
  ['ArrowDown', true, [2, 1]],
  ['ArrowRight', false, [1, 2]],
  ['ArrowLeft', false, [1, 0]],
  ['Home', true, [0, 0]],
  ['End', false, [1, 3]],
  ['PageDown', false, [2, 1]],
] as const)('%p leads on (with Ctrl: %p) to %p', (key, ctrlKey, to) => {
  const place = movePlace(from, { key, ctrlKey, metaKey: false }, SIZE)
  expect(place).toEqual({ row: to[0], column: to[1] })
})

test('arrows point where they point in a language that is read from the right', () => {
  const place = movePlace(
    from,
    { key: 'ArrowLeft', ctrlKey: false, metaKey: false },
    { ...SIZE, isRightToLeft: true },
  )
  expect(place).toEqual({ row: 1, column: 2 })
})

test('Tab passes over what cannot be typed in, and ends at the last cell', () => {
  const isWritable = ({ column }: { column: number }): boolean => column === 1
  expect(nextPlace(from, 1, SIZE, isWritable)).toEqual({ row: 2, column: 1 })
  expect(nextPlace(from, -1, SIZE, isWritable)).toEqual({ row: 0, column: 1 })
  expect(nextPlace({ row: 2, column: 1 }, 1, SIZE, isWritable)).toBeUndefined()
})

test('a block has the cells that a spreadsheet wrote, quotes and lines in them included', () => {
  expect(readBlock('1\t"two\nlines"\r\n"say ""so"""\t\r\n')).toEqual([
    ['1', 'two\nlines'],
    ['say "so"', ''],
  ])
})

test('each block that is written comes back', () => {
  const cell = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 }),
      (rows) => {
        const text = rows
          .map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join('\t'))
          .join('\n')
        expect(readBlock(text)).toEqual(
          rows.map((cells) => cells.map((each) => each.replaceAll('\r\n', '\n'))),
        )
      },
    ),
  )
})
