/** SQL about a record knows its key on create too, `@IsNew`, and `@Old_<Column>`. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, type Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Car" Table="cars"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="Plate" Type="Text"/></Entity>
<Entity Name="Rental" Table="rentals">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CarId" References="Car" OnDelete="SetNull"/>
  <Column Name="First" Type="Date" Required="true"/>
  <Column Name="Last" Type="Date" Required="true"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
  <Column Name="Rises" Type="Integer"><Compute>SELECT CASE WHEN @IsNew THEN 0 ELSE coalesce(@Old_Rises, 0) + (coalesce(@Price, 0) &gt; coalesce(@Old_Price, 0)) END</Compute></Column>
  <Validate Field="First" Message="Rented already">SELECT NOT EXISTS (SELECT 1 FROM rentals WHERE CarId = @CarId AND Id IS NOT @Id AND First &lt;= @Last AND Last &gt;= @First)</Validate>
  <Validate Field="Price" Message="Too much at once">SELECT @IsNew OR @Old_Price IS NULL OR coalesce(@Price, 0) &lt;= 2 * @Old_Price</Validate>
  <Validate Field="CarId" Message="The car stays">SELECT @Old_CarId IS NULL OR @CarId IS NOT NULL</Validate>
  <On Event="created"><Sql>INSERT INTO told (What) VALUES ('created ' || @IsNew || ' ' || coalesce(@Old_Price, 'none') || ' ' || @Id)</Sql></On>
  <On Event="updated"><Sql>INSERT INTO told (What) VALUES ('updated ' || @IsNew || ' ' || coalesce(@Old_Price, 'none') || ' to ' || coalesce(@Price, 'none'))</Sql></On>
  <On Event="deleted"><Sql>INSERT INTO told (What) VALUES ('deleted ' || @IsNew || ' ' || @Old_Price)</Sql></On>
</Entity>
<Entity Name="Told" Table="told"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="What" Type="Text"/></Entity>
<ObjectView Name="Rentals" Entity="Rental">
  <Validate Field="Last" Message="Never shorter">SELECT @IsNew OR @Last &gt;= @Old_Last</Validate>
  <RowAction Name="Raise"><Sql>UPDATE rentals SET Price = @Old_Price * 1.5 WHERE Id = @Id AND NOT @IsNew</Sql></RowAction>
  <RowAction Name="Treble"><Sql>UPDATE rentals SET Price = Price * 3 WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Cars" Entity="Car"><Detail Name="Rentals" View="Rentals" Parent="CarId=Id"/></ObjectView>
<StoredProcedure Name="TrebleAll" Mode="Write"><Sql>UPDATE rentals SET Price = Price * 3</Sql></StoredProcedure>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

async function start(): Promise<Imports> {
  const rentals = new Imports(await startApp({ application: APPLICATION }))
  await rentals.save('sys', 'Cars', { Plate: 'A' })
  return rentals
}

const MARCH: Row = { CarId: 1, First: '2026-03-01', Last: '2026-03-31', Price: 100 }
const TOO_MUCH = { Price: 'Too much at once' }

const told = async (rentals: Objects): Promise<unknown[]> =>
  (await rentals.stored('SELECT What FROM told ORDER BY Id')).map(({ What }) => What)

test('a new record is not held against itself, and against the others it is', async () => {
  await using rentals = await start()
  await rentals.save('sys', 'Rentals', MARCH)
  const second = refusal(await rentals.submit('sys', 'Rentals', MARCH), 400)
  expect(second.fieldErrors).toEqual({ First: 'Rented already' })
  await rentals.save('sys', 'Rentals', { ...MARCH, First: '2026-04-01', Last: '2026-04-02' })
  await rentals.save('sys', 'Rentals', { Id: 1, Last: '2026-03-31', Price: 120 })
})

test('what a column held before is known on every path of writing', async () => {
  await using rentals = await start()
  await rentals.save('sys', 'Rentals', MARCH)
  const dear = await rentals.submit('sys', 'Rentals', { Id: 1, Price: 201 })
  expect(refusal(dear, 400).fieldErrors).toEqual(TOO_MUCH)
  const short = await rentals.submit('sys', 'Rentals', { Id: 1, Last: '2026-03-30' })
  expect(refusal(short, 400).fieldErrors).toEqual({ Last: 'Never shorter' })
  const Details = { Rentals: { Upsert: [{ Id: 1, Price: 201 }] } }
  refusal(await rentals.submit('sys', 'Cars', { Id: 1 }, { Details }), 400)
  refusal(await rentals.act('sys', 'Rentals', 'Treble', { Id: 1 }), 400)
  const path = '/api/v1/svc/rpc/TrebleAll'
  expect((await rentals.app.fetch(path, { as: 'sys', body: { Parameters: {} } })).status).toBe(400)
  refusal(await rentals.remove('sys', 'Cars', { Id: 1 }), 400)
  data(await rentals.act('sys', 'Rentals', 'Raise', { Id: 1 }))
  await rentals.save('sys', 'Rentals', { Id: 1, Price: 20 })
  expect(await rentals.stored('SELECT Price, Rises FROM rentals')).toEqual([
    { Price: 20, Rises: 1 },
  ])
  data(await rentals.remove('sys', 'Rentals', { Id: 1 }))
  expect(await told(rentals)).toEqual([
    'created 1 none 1',
    'updated 0 100.0 to 150.0',
    'updated 0 150.0 to 20.0',
    'deleted 0 20.0',
  ])
})

test('a request cannot say what a column held before', async () => {
  await using rentals = await start()
  await rentals.save('sys', 'Rentals', MARCH)
  const said = { Id: 1, IsNew: 1, Old_Price: 1000, Price: 201, Old_Last: '2020-01-01' }
  refusal(await rentals.submit('sys', 'Rentals', said), 400)
  data(await rentals.act('sys', 'Rentals', 'Raise', said))
  expect(await rentals.stored('SELECT Price FROM rentals')).toEqual([{ Price: 150 }])
})

test('an import is judged by the same: keys and former values', async () => {
  await using rentals = await start()
  const send = (mode: string, lines: readonly string[]) =>
    rentals.send('sys', {
      objectName: 'Rentals',
      fields: { mode },
      file: lines.join('\n'),
    })
  const head = 'CarId,First,Last,Price'
  const added = await send('insert', [
    head,
    '1,2026-01-01,2026-01-09,10',
    '1,2026-02-01,2026-02-09,10',
  ])
  expect(data(added).Import).toMatchObject({ Inserted: 2 })
  const twice = await send('insert', [head, '1,2026-01-09,2026-01-10,10'])
  expect(twice.status).not.toBe(200)
  const keyed = 'Id,Last,Price'
  expect((await send('update', [keyed, '1,2026-01-09,21'])).status).not.toBe(200)
  expect((await send('update', [keyed, '1,2026-01-08,20'])).status).not.toBe(200)
  expect(data(await send('update', [keyed, '1,2026-01-09,20'])).Import).toMatchObject({
    Updated: 1,
  })
  expect(await told(rentals)).toHaveLength(3)
})
