/** Lookups: options as the caller may see them, and what a submit may point to. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Lookups, startLookups } from '../../support/lookups.ts'
import { data, refusal, type Row } from '../../support/objects.ts'

let all: Lookups
beforeAll(async () => {
  all = await startLookups()
  await all.save('keeper', 'Items', { Title: 'Atlas', MakerId: 3, OwnerId: 2 })
})
afterAll(() => all[Symbol.asyncDispose]())

describe('field-dataset', () => {
  test('gives the rows of the looked-up view, with what is searched and filled', async () => {
    expect(await all.options('keeper', 'Items', 'MakerId')).toEqual([
      { Value: '1', Label: 'N1 Alder', Code: 'N1', Name: 'Alder', Rate: '10.0' },
      { Value: '2', Label: 'N2 Birch', Code: 'N2', Name: 'Birch', Rate: '10.0' },
      { Value: '3', Label: 'S1 Cedar', Code: 'S1', Name: 'Cedar', Rate: '10.0' },
    ])
    expect(await all.labels('keeper', 'items', 'curatorid')).toEqual([
      'Alder',
      'Birch',
      'Cedar',
      'Dogwood',
    ])
  })

  test('Where speaks of the record’s values', async () => {
    const labels = (Kind: string) =>
      all.labels('keeper', 'Items', 'MakerId', { Parameters: { Kind } })
    expect(await labels('book')).toEqual(['N1 Alder', 'N2 Birch', 'S1 Cedar'])
    expect(await labels('disc')).toEqual(['N1 Alder', 'N2 Birch'])
    expect(await labels("disc' OR 1=1 --")).toEqual(['N1 Alder', 'N2 Birch', 'S1 Cedar'])
  })

  test('shows no row that the caller may not list', async () => {
    expect(await all.labels('rep', 'Items', 'MakerId')).toEqual(['N1 Alder', 'N2 Birch'])
    expect(await all.labels('rep', 'Items', 'MakerId', { SearchText: 'cedar' })).toEqual([])
    expect(await all.labels('typist', 'Items', 'MakerId')).toEqual([])
    expect(await all.labels('nobody', 'Items', 'MakerId')).toEqual([])
    expect(await all.labels('other', 'Items', 'MakerId')).toEqual(['N1 Elm'])
    expect(await all.labels('nobody', 'Items', 'Format', { Parameters: { Kind: 'book' } })).toEqual(
      [],
    )
  })

  test('needs a token, a form and a field; a hidden field is as good as none', async () => {
    const body = { FormName: 'Items', FieldName: 'MakerId' }
    const bare = await all.app.fetch('/api/v1/svc/object/field-dataset', { body })
    expect(bare.status).toBe(401)
    const ask = (as: string, more: object) => all.call(as, '/field-dataset', { ...body, ...more })
    refusal(await ask('keeper', { FormName: 'Nothing' }), 404)
    expect(refusal(await ask('keeper', { FieldName: 'Nothing' }), 400).code).toBe('UNKNOWN_FIELD')
    const hidden = refusal(await ask('rep', { FieldName: 'OwnerId' }), 400)
    expect(hidden.error).toBe("Unknown field 'OwnerId'")
    refusal(await ask('keeper', { Page: 0 }), 400)
    refusal(await ask('keeper', { PageSize: 1001 }), 400)
    refusal(await all.call('keeper', '/field-dataset', { FormName: 'Items' }), 400)
  })

  test('seeks in search columns and labels; one exact hit comes alone', async () => {
    const seek = (SearchText: string) => all.labels('keeper', 'Items', 'MakerId', { SearchText })
    expect(await seek('R')).toEqual(['N1 Alder', 'N2 Birch', 'S1 Cedar'])
    expect(await seek(' DAR ')).toEqual(['S1 Cedar'])
    expect(await seek('n')).toEqual(['N1 Alder', 'N2 Birch'])
    expect(await seek('n2')).toEqual(['N2 Birch'])
    expect(await seek('S2')).toEqual([])
    expect(await seek('[')).toEqual([])
    await all.save('keeper', 'Makers', { Code: 'N', Name: 'Nutmeg', Region: 'north' })
    expect(await seek('n')).toEqual(['N Nutmeg'])
    expect(await seek('alder')).toEqual(['N1 Alder'])
    const [maker] = (await all.table('keeper', 'Makers', { SearchText: 'Nutmeg' })).Rows
    await all.remove('keeper', 'Makers', { Id: maker?.Id })
    const shelf = { SearchText: 'b' }
    expect(await all.options('keeper', 'Items', 'ShelfCode', shelf)).toEqual([
      { Value: 'B', Label: 'Basement' },
    ])
  })

  test('several exact matches come first', async () => {
    await all.save('keeper', 'Tags', { Name: 'x1', Level: 3 })
    const names = ['Acorn N1', 'N1']
    for (const [at, Name] of names.entries()) {
      await all.save('keeper', 'Makers', { Code: `Z${at}`, Name, Region: 'north' })
    }
    const found = await all.labels('keeper', 'Items', 'MakerId', { SearchText: 'N1' })
    expect(found).toEqual(['N1 Alder', 'Z1 N1', 'Z0 Acorn N1'])
    for (const row of (await all.table('keeper', 'Makers', { SearchText: 'N1' })).Rows) {
      if (String(row.Code).startsWith('Z')) await all.remove('keeper', 'Makers', { Id: row.Id })
    }
  })

  test('comes in pages', async () => {
    const page = (Page: number) => all.labels('keeper', 'Items', 'MakerId', { Page, PageSize: 2 })
    expect([await page(1), await page(2), await page(3)]).toEqual([
      ['N1 Alder', 'N2 Birch'],
      ['S1 Cedar'],
      [],
    ])
  })

  test('the value that a stored record has is labelled also where it is no option', async () => {
    const [dogwood] = await all.stored("SELECT Id FROM makers WHERE Code = 'S2'")
    const { Keys } = await all.save('sys', 'Items', { Title: 'Old', CuratorId: 3 })
    const key = Array.isArray(Keys) ? {} : Keys
    await all.app.context.store.write(
      (tx) =>
        tx.run('UPDATE items SET MakerId = @maker WHERE Id = @id', {
          maker: Number(dogwood?.Id),
          id: Number(key?.Id),
        }),
      { company: 'all', because: 'a test' },
    )
    const asked = (as: string, Parameters: object) =>
      all.labels(as, 'Items', 'MakerId', { Parameters })
    const rest = ['N1 Alder', 'N2 Birch', 'S1 Cedar']
    expect(await asked('keeper', { ...key, MakerId: dogwood?.Id })).toEqual(['S2 Dogwood', ...rest])
    expect(await asked('keeper', { ...key })).toEqual(['S2 Dogwood', ...rest])
    expect(await asked('keeper', { MakerId: dogwood?.Id })).toEqual(rest)
    expect(await asked('rep', { ...key })).toEqual(['S2 Dogwood', 'N1 Alder', 'N2 Birch'])
    expect(await asked('rep', { ...key, MakerId: 3 })).toEqual(['N1 Alder', 'N2 Birch'])
    const small = { Parameters: { MakerId: 3 }, PageSize: 1 }
    expect(await all.labels('keeper', 'Items', 'MakerId', small)).toEqual(['S1 Cedar', 'N1 Alder'])
  })

  test('users are the company’s active ones', async () => {
    const before = await all.labels('keeper', 'Items', 'OwnerId')
    expect(before).toContain('typist')
    expect(before).not.toContain('other')
    await all.app.context.store.write(
      (tx) => tx.run("UPDATE svc_users SET Active = 0 WHERE UserName = 'typist'"),
      { company: 'all', because: 'a test' },
    )
    expect(await all.labels('keeper', 'Items', 'OwnerId')).not.toContain('typist')
    const [user] = await all.stored("SELECT Id FROM svc_users WHERE UserName = 'typist'")
    const answer = await all.submit('keeper', 'Items', { Title: 'Y', OwnerId: user?.Id })
    expect(Object.keys(refusal(answer, 400).fieldErrors ?? {})).toEqual(['OwnerId'])
    await all.app.context.store.write(
      (tx) => tx.run("UPDATE svc_users SET Active = 1 WHERE UserName = 'typist'"),
      { company: 'all', because: 'a test' },
    )
  })

  test('a DataSet depends on the record’s values and keeps its order', async () => {
    const ask = (Parameters: object, more: object = {}) =>
      all.options('keeper', 'Items', 'Format', { Parameters, ...more })
    expect(await ask({ Kind: 'book' })).toEqual([
      { Value: 'b', Label: 'Small', Width: '20' },
      { Value: 'a', Label: 'Large', Width: '30' },
    ])
    expect(await ask({ Kind: 'disc' })).toEqual([])
    expect(await ask({})).toEqual([])
    expect((await ask({ Kind: 'book' }, { SearchText: 'arg' }))[0]?.Value).toBe('a')
  })

  test('static options, and defaults that depend on others', async () => {
    expect(await all.options('nobody', 'Items', 'Kind')).toEqual([
      { Value: 'book', Label: 'Book' },
      { Value: 'disc', Label: 'Disc' },
      { Value: 'box', Label: 'Box of discs' },
    ])
    const seek = (SearchText: string) => all.labels('keeper', 'Items', 'Kind', { SearchText })
    expect(await seek('DISC')).toEqual(['Disc'])
    expect(await seek('c')).toEqual(['Disc', 'Box of discs'])
    const kind = await all.options('keeper', 'Items', 'Kind', { Default: true })
    expect(kind).toEqual([{ Value: 'book', Label: 'Book' }])
    const Parameters = { MakerId: 1 }
    expect(await all.options('keeper', 'Items', 'Price', { Parameters })).toEqual([
      { Value: '20', Label: '20' },
    ])
    expect(await all.options('keeper', 'Items', 'Price')).toEqual([])
    expect(await all.options('nobody', 'Items', 'Price', { Parameters })).toEqual([])
    const owner = await all.options('keeper', 'Items', 'OwnerId', { Default: true })
    expect(owner.map(({ Label }) => Label)).toEqual(['keeper'])
  })
})

describe('submit', () => {
  const faults = async (as: string, parameters: object) => {
    const answer = await all.submit(as, 'Items', { Title: 'T', ...parameters })
    return answer.status === 200 ? 'saved' : refusal(answer, 400).fieldErrors
  }

  test('what a row filter hides is refused like what is not there', async () => {
    const missing = await faults('rep', { MakerId: 999 })
    expect(missing).toEqual({ MakerId: 'Maker: there is no such maker' })
    expect(await faults('rep', { MakerId: 3 })).toEqual(missing)
    expect(await faults('rep', { MakerId: 5 })).toEqual(missing)
    expect(await faults('rep', { CuratorId: 3 })).toEqual({
      CuratorId: 'Curator: there is no such maker',
    })
    expect(await faults('rep', { MakerId: 1, CuratorId: 2 })).toBe('saved')
  })

  test('Where holds, on the record as it would be stored', async () => {
    expect(await faults('keeper', { MakerId: 4 })).toHaveProperty('MakerId')
    expect(await faults('keeper', { MakerId: 3, Kind: 'disc' })).toHaveProperty('MakerId')
    expect(await faults('keeper', { MakerId: 3 })).toBe('saved')
    expect(await faults('keeper', { CuratorId: 4 })).toBe('saved')
    expect(await faults('typist', { MakerId: 4 })).toHaveProperty('MakerId')
    expect(await faults('typist', { MakerId: 3 })).toHaveProperty('MakerId')
  })

  test('what is stored is not judged anew', async () => {
    const { Keys, RowVersion } = await all.save('keeper', 'Items', { Title: 'Z', MakerId: 3 })
    const key = Array.isArray(Keys) ? {} : { ...Keys }
    const again = await all.save('rep', 'Items', { ...key, MakerId: 3, Title: 'ZZ', RowVersion })
    expect(again.Values).toMatchObject({ Title: 'ZZ', MakerId: 3, MakerId__Label: 'S1 Cedar' })
    const moved = { ...key, MakerId: 4, RowVersion: again.RowVersion }
    expect(refusal(await all.submit('rep', 'Items', moved), 400).fieldErrors).toHaveProperty(
      'MakerId',
    )
  })
})

test('metadata says what options and defaults depend on, and what a link hands over', async () => {
  interface Metadata {
    Fields: Row[]
    RowActions: Row[]
  }
  const items = data(await all.call<Metadata>('keeper', '/Items/metadata'))
  const fieldOf = (name: string) => items.Fields.find(({ Name }) => Name === name)
  expect(fieldOf('MakerId')?.Lookup).toEqual({
    View: 'Makers',
    Search: ['Code', 'Name'],
    Label: [],
    Fill: [{ Field: 'Price', From: 'Rate' }],
    DependsOn: ['Kind'],
  })
  expect(fieldOf('Price')?.Default).toEqual({ Computed: true, DependsOn: ['MakerId'] })
  expect(fieldOf('Format')?.DataSet).toEqual({ DependsOn: ['Kind'] })
  const listed = data(await all.call<Metadata>('keeper', '/ListedItems/metadata'))
  expect(listed.RowActions).toMatchObject([{ Object: 'Makers', With: 'Id=MakerId' }])
})
