/** Sections of a form by their tabs. */
import { expect, test } from 'bun:test'
import {
  type FormSection,
  isNamedByTab,
  planTabs,
} from '../../src/client/web/parts/form/tab-plan.ts'

const section = (Label: string, Tab: string | null): FormSection => ({
  Label,
  Tab,
  Columns: 2,
  Fields: [Label],
})

const SECTIONS = [
  section('Prices', 'Prices'),
  section('Order', null),
  section('Stock', 'More'),
  section('Weights', 'More'),
  section('', null),
]

const shape = (isShown: (section: FormSection) => boolean) =>
  planTabs(SECTIONS, isShown).map(({ number, label, sections }) => [
    number,
    label,
    sections.map(({ Label }) => Label),
  ])

test('sections without a tab come first, and the others in the order of the model', () => {
  expect(shape(() => true)).toEqual([
    [0, undefined, ['Order', '']],
    [1, 'Prices', ['Prices']],
    [2, 'More', ['Stock', 'Weights']],
  ])
})

test('a tab of which nothing is shown is left out, and the numbers of the others stay', () => {
  expect(shape(({ Label }) => Label === 'Weights')).toEqual([[2, 'More', ['Weights']]])
  expect(shape(() => false)).toEqual([])
})

test('a heading that would repeat its tab is left out', () => {
  const [, prices, more] = planTabs(SECTIONS, () => true)
  expect(prices!.sections.map((each) => isNamedByTab(prices!, each))).toEqual([true])
  expect(more!.sections.map((each) => isNamedByTab(more!, each))).toEqual([false, false])
})
