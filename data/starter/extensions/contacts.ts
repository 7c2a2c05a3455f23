/** What the model cannot say. Each file here is loaded as it is; `appengine.d.ts` has its types. */
import type { Engine } from './appengine.d.ts'

export default (engine: Engine) => {
  // POST /api/v1/svc/execute-script
  // {"Name": "ContactsWithoutEmail", "Parameters": {"Kind": "lead"}}
  engine.script({
    Name: 'ContactsWithoutEmail',
    Label: 'Contacts without a mail address',
    Resource: 'ContactTools',
    Parameters: [{ Name: 'Kind', Default: 'customer' }],
    run: ({ Parameters, query }) =>
      query(
        `SELECT c.Id, c.Name FROM contacts c
          WHERE c.Kind = @Kind AND c.Email IS NULL ORDER BY c.Name`,
        Parameters,
      ),
  })

  // A check of each record before it is written, beside the rules of the model.
  engine.validate({
    Object: 'Contacts',
    run({ Values }) {
      if (Values.Kind === 'customer' && !Values.Email && !Values.Phone)
        return { Email: 'A customer has a mail address or a phone number' }
    },
  })
}
