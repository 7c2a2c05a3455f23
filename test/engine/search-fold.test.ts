/** The pattern that SQL matches and the texts that are kept ignore the same cases and accents. */
import { expect, test } from 'bun:test'
import { openMemory, prepareNative } from '../../src/store/connection/native.ts'
import { foldText, listForms } from '../../src/engine/grid-search/fold.ts'
import { planTextPattern } from '../../src/engine/object/read/text-match.ts'

function* everyCharacter(): Generator<string> {
  for (let code = 1; code < 0x110000; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
  }
}

const classes = new Map<string, string[]>()
for (const character of everyCharacter()) {
  const folded = foldText(character)
  const known = classes.get(folded)
  if (known) known.push(character)
  else classes.set(folded, [character])
}

test('every character folds to one, and its forms are those of the same fold', () => {
  const wrong: string[] = []
  for (const [folded, members] of classes) {
    if ([...folded].length !== 1) wrong.push(folded)
    for (const member of members) {
      const forms = listForms(member)
      const isSame = forms.length === members.length && forms.every((f) => members.includes(f))
      if (!isSame) wrong.push(member)
    }
  }
  expect(wrong).toEqual([])
})

/** A stroke is no accent to Unicode, but to those who type. */
const STROKES = 'øǿđðłħŧı'

test('letters of one fold are one to Unicode without accents, and so are their cases', () => {
  const wrong: string[] = []
  for (const [folded, members] of classes) {
    if (members.length === 1) continue
    const same = new RegExp(`^${folded}$`, 'iu')
    const isSame = (member: string): boolean =>
      STROKES.includes(member.toLowerCase()) ||
      [member, member.normalize('NFD').replace(/[\u0300-\u036f]/g, '')].some((m) => same.test(m))
    wrong.push(...members.filter((member) => !isSame(member)))
  }
  for (const character of everyCharacter()) {
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      const isOne = [...other].length === 1
      if (isOne && foldText(other) !== foldText(character)) wrong.push(character)
    }
  }
  expect(wrong).toEqual([])
})

test('a text folds character by character, whatever stands around', () => {
  const letters = [
    'Σ',
    'ς',
    'É',
    'ø',
    'Ǿ',
    'ễ',
    'й',
    'İ',
    'ı',
    'ẞ',
    'ſ',
    'K',
    'ΐ',
    'ﬅ',
    'ǅ',
    '🚲',
    '\u0307',
    ' ',
    'a',
    'Ω',
  ]
  for (const a of letters) {
    for (const b of letters) {
      const whole = foldText(`${a}${b} ${b}${a}`)
      const [fa, fb] = [foldText(a), foldText(b)]
      expect(whole).toBe(`${fa}${fb} ${fb}${fa}`)
    }
  }
})

test('what folds alike matches in SQL, and nothing else does', () => {
  const statement = prepareNative(openMemory(), 'SELECT @text GLOB @pattern AS found')
  const samples = [...classes.values()].filter((members) => members.length > 1).flat()
  const wrong: string[] = []
  samples.forEach((text, at) => {
    const sought = [text, ...listForms(text), samples[(at * 7 + 1) % samples.length] ?? 'x']
    for (const character of sought) {
      const wanted = character.normalize('NFC')
      const pattern = planTextPattern(wanted, 'anywhere')
      const found = statement.get({ text, pattern })?.[0] === 1
      if (found !== foldText(text).includes(foldText(wanted))) wrong.push(`${text} ${character}`)
    }
  })
  expect(wrong).toEqual([])
})
