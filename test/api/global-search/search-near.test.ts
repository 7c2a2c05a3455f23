/** Words that come near those typed, where nothing has the words themselves. */
import { expect, test } from 'bun:test'
import { findTitles, search, startSearched } from '../../support/search.ts'

test('where nothing has the words, what comes near them is found, and told', async () => {
  await using objects = await startSearched()
  const { app } = objects
  for (const [Name, Region, Secret] of [
    ['Müller Electrical', 'north', 'canary'],
    ['Miller', 'south', 'other'],
  ])
    await objects.save('clerk', 'Customers', { Name, Region, Secret })
  await objects.save('other', 'Customers', { Name: 'Mollar', Region: 'north' })
  const ask = async (as: string, q: string) => {
    const { Corrected } = await search(app, as, q)
    return [Corrected, (await findTitles(app, as, q)).Customers ?? []]
  }
  expect(await ask('clerk', 'eletrical')).toEqual(['electrical', ['Müller Electrical']])
  expect(await ask('clerk', 'MULELR elec')).toEqual(['muller elec', ['Müller Electrical']])
  expect(await ask('clerk', 'Mxller')).toEqual(['miller', ['Miller', 'Müller Electrical']])
  // What is there needs none, short words and numbers are meant as they are, and the first letter.
  expect(await ask('clerk', 'miller')).toEqual([null, ['Miller']])
  for (const q of ['mil1er', 'elx', 'killer', 'mxxler', 'mollar', 'electricity'])
    expect([q, ...(await ask('clerk', q))]).toEqual([q, null, []])
  // attack: a word of another company, of a hidden row or of a hidden field corrects nothing.
  expect(await ask('other', 'mxllar')).toEqual(['mollar', ['Mollar']])
  expect(await ask('local', 'Mxller')).toEqual(['muller', ['Müller Electrical']])
  expect(await ask('clerk', 'canarry')).toEqual(['canary', ['Müller Electrical']])
  expect(await ask('narrow', 'canarry')).toEqual([null, []])
  expect(await ask('nobody', 'mxller')).toEqual([null, []])
})
