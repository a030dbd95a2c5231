/**
 * The directory: the employer records as the service answered them last, since there is no route of the reference to read
 * them; and how often which forms were sent, counted as they are, so that nobody has to read a hundred thousand sends.
 */

/** A use of each form or template of a send, however often the package has it and whatever it is called there. */
const usesOf = (sends: string) => `
  INSERT INTO form_uses (account_id, kind, reference, form_type, name, uses, used_at)
    SELECT sends.account_id, sends.kind, CAST(item.value ->> '$.Reference' AS TEXT),
      coalesce(CAST(item.value ->> '$.FormType' AS TEXT), ''),
      max(coalesce(CAST(item.value ->> '$.Name' AS TEXT), '')), 1,
      coalesce(sends.settled_at, sends.attempted_at, sends.created_at)
    FROM ${sends} AS sends JOIN send_bodies ON send_bodies.number = sends.number,
      json_each(send_bodies.body,
        CASE sends.kind WHEN 'form-direct' THEN '$.request.Forms' ELSE '$.request.Templates' END) AS item
    WHERE sends.state = 'sent' AND coalesce(item.value ->> '$.Reference', '') <> ''
    GROUP BY sends.number, 3, 4 ORDER BY sends.number
    ON CONFLICT DO UPDATE SET uses = uses + 1, used_at = max(used_at, excluded.used_at), name = excluded.name;`

export const employers = `
  CREATE TABLE employers (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- An EmployerSet (2.19), with members that this version doesn't know.
    records TEXT NOT NULL CHECK (json_valid(records)),
    -- Those of the answer that could not be read, and so are not in it.
    unreadable TEXT NOT NULL CHECK (json_valid(unreadable)),
    answered_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE form_uses (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    reference TEXT NOT NULL,
    -- Blank for templates.
    form_type TEXT NOT NULL,
    name TEXT NOT NULL,
    uses INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind, reference, form_type)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER form_uses_come AFTER UPDATE OF state ON sends WHEN new.state = 'sent' AND old.state <> 'sent' BEGIN
    ${usesOf('(SELECT * FROM sends WHERE number = new.number)')}
  END;
  ${usesOf('sends')}
`
