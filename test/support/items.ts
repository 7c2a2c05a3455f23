/** Items with a name and a region, of two companies. */
import { type AppOptions, startApp, type TestApp } from './app.ts'

/** The entity and its view, for a `<Model>`. */
export const ITEM = `<Entity Name="Item" Table="items" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<ObjectView Name="Items" Entity="Item"/>`

/** Two items of the first company, one of the second. */
export async function startWithItems(options: AppOptions): Promise<TestApp> {
  const app = await startApp(options)
  await app.store.write(
    (tx) =>
      tx.run(
        `INSERT INTO items (CompanyId, Name, Region) VALUES
          (1, 'bolt', 'north'), (1, 'nut', 'south'), (2, 'gear', 'north')`,
      ),
    { company: 'all', because: 'a test' },
  )
  return app
}
