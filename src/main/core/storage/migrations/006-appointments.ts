/** Counter appointments: expected people and their progress. A day's appointments are deleted after it. */
export const appointments = `
  CREATE TABLE appointments (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- What it is told by when its file is imported again, and in which series it is; NULL where staff made it by hand.
    key TEXT,
    series TEXT,
    -- The calendar's SEQUENCE: a file that is older than what is here changes nothing.
    version INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL,
    email TEXT NOT NULL DEFAULT '',
    mobile TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    minutes INTEGER NOT NULL,
    place TEXT NOT NULL DEFAULT '',
    about TEXT NOT NULL DEFAULT '',
    -- Who of the queue staff said that it is: '' for nobody there, NULL where they said nothing.
    person TEXT,
    state TEXT NOT NULL DEFAULT 'expected'
      CHECK (state IN ('expected', 'arrived', 'called', 'here', 'done', 'no-show')),
    -- What it was before: for one click that takes it back.
    before TEXT CHECK (before IN ('expected', 'arrived', 'called', 'here', 'done', 'no-show')),
    -- What they are called by, on the day.
    number INTEGER,
    arrived_at INTEGER,
    called_at INTEGER,
    calls INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX appointments_by_time ON appointments (account_id, at);
  CREATE UNIQUE INDEX appointments_by_key ON appointments (account_id, key) WHERE key IS NOT NULL;
  CREATE INDEX appointments_by_series ON appointments (account_id, series) WHERE series IS NOT NULL;

  -- Pictures that the second display shows in turn while nobody signs.
  CREATE TABLE counter_pictures (
    id TEXT PRIMARY KEY NOT NULL,
    position INTEGER NOT NULL,
    picture BLOB NOT NULL
  ) STRICT;
`
