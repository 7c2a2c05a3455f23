/** How two texts differ, as people read it. */
import { expect, test } from 'bun:test'
import { diffLines } from '../../src/model/deploy/text-diff.ts'

const list = (count: number, word = 'line'): string[] =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`)
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`
const ten = list(10)

test.each<[what: string, first: string, second: string, told: string[]]>([
  ['equal texts', 'a\nb', 'a\nb', []],
  ['the end of the last line', 'a\nb', 'a\r\nb\r\n', []],
  ['a changed line', 'a\nb\nc', 'a\nB\nc', ['  a', '- b', '+ B', '  c']],
  ['nothing and a line', '', 'a', ['- ', '+ a']],
  [
    'two lines around',
    text(ten),
    text(ten.toSpliced(5, 1)),
    [...['  line 3', '  line 4', '- line 5', '  line 6', '  line 7']],
  ],
  [
    'both ends',
    text(ten),
    text(['first', ...ten, 'last']),
    [...['+ first', '  line 0', '  line 1', '…', '  line 8', '  line 9', '+ last']],
  ],
  ['a line that begins with a sign', '- a\n+ b', '- a\n+ c', ['  - a', '- + b', '+ + c']],
])('%s', (_, first, second, told) => {
  expect(diffLines(first, second)).toEqual(told)
})

test('texts that differ in too much are told as wholly different', () => {
  const [first, second] = [list(2100, 'old'), list(2100, 'new')]
  const told = diffLines(text(first), text(second))
  expect(told).toEqual([...first.map((line) => `- ${line}`), ...second.map((line) => `+ ${line}`)])
})
