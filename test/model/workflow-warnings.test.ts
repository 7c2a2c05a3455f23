/** Warnings of a deploy about a workflow. */
import { expect, test } from 'bun:test'
import { APPROVAL, approvalModel } from '../support/approvals.ts'
import { compileTexts } from '../support/compile-text.ts'

const isOfTransition = (warning: string): boolean => warning.includes('No Role grants')

test('a transition that no role may take is warned of, where it stands', async () => {
  const { faults, warnings } = await compileTexts({ 'a.xml': approvalModel(APPROVAL) })
  expect([faults, warnings.filter(isOfTransition)]).toEqual([[], []])
  const ungranted = approvalModel(APPROVAL).replaceAll(' Capabilities="Decide"', '')
  const told = (await compileTexts({ 'a.xml': ungranted })).warnings.filter(isOfTransition)
  const words = 'No Role grants Decide on Requests: only System may take'
  expect(told.map((each) => each.replace(/^[^ ]+ /, ''))).toEqual([
    `${words} Approve`,
    `${words} Approve`,
    `${words} Refuse`,
    `${words} Approve`,
  ])
})
