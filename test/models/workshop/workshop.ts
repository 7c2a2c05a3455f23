/**
 * A bicycle workshop with two shops: an application of another trade than the demo's, in XML alone.
 */
import type { Tx } from '../../../src/store/store.ts'
import bicyclesXml from './bicycles.xml' with { type: 'text' }
import repairsXml from './repairs.xml' with { type: 'text' }
import staffXml from './staff.xml' with { type: 'text' }
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/**
 * Its model and users: `gil` runs both shops, `wim` is at the bench of CANAL, `una` has no roles.
 */
export const WORKSHOP: TestApplication = {
  files: [
    { name: 'bicycles.xml', body: String(bicyclesXml) },
    { name: 'repairs.xml', body: String(repairsXml) },
    { name: 'staff.xml', body: String(staffXml) },
  ],
  ...makePeople('CANAL HARBOUR', {
    gil: 'Boss in CANAL HARBOUR',
    wim: 'Bench@CANAL',
    una: 'in HARBOUR',
  }),
}

/** Two owners with a bicycle each, and a mechanic in each shop; CANAL's is `wim`. */
export async function seedWorkshop(tx: Tx): Promise<void> {
  await tx.silently(async () => {
    await tx.run(`INSERT INTO main.Owner (Id, Name, Since) VALUES (1, 'Mill Lane School', '2024-03-01'),
      (2, 'Parcel Riders', '2025-06-15')`)
    await tx.run(`INSERT INTO main.bicycles (FrameNumber, OwnerId, Make, Colour, Electric, Bought)
      VALUES ('WTU-1001', 1, 'Roadster', 'green', 0, '2022-05-01'),
        ('WTU-2002', 2, 'Cargo', 'black', 1, '2025-02-11')`)
    await tx.run(`INSERT INTO main.mechanics (ShopId, Name, UserId)
      SELECT c.Id, 'Bench ' || c.Code,
        CASE c.Code WHEN 'CANAL' THEN (SELECT Id FROM main.svc_users WHERE UserName = 'wim') END
      FROM main.svc_companies c ORDER BY c.Code`)
  })
}
