/**
 * Who reads an account's folders for the office, and since when; which looks the others requested; and which
 * workstations can't read.
 */
export const polling = `
  -- requested: how many reads were requested so far; answered: the last of them that was requested before the newest round began.
  -- watched_until: until when someone at a workstation has the account's lists in view.
  CREATE TABLE poll (
    account uuid PRIMARY KEY REFERENCES feed,
    requested bigint NOT NULL DEFAULT 0,
    answered bigint NOT NULL DEFAULT 0,
    read_at timestamptz,
    watched_until timestamptz NOT NULL DEFAULT '-infinity',
    sealed bytea
  );
  CREATE TABLE poll_trouble (
    account uuid NOT NULL REFERENCES feed,
    station uuid NOT NULL REFERENCES station,
    kind text NOT NULL CHECK (kind IN ('refused', 'unreachable', 'keychain')),
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account, station)
  );

  -- Returns the state of the reading of an account, and takes or renews its lease for p_ms if given. p_trouble: why this workstation can't
  -- read.
  CREATE FUNCTION watch(p_account uuid, p_ms integer, p_is_shown boolean, p_trouble text)
  RETURNS TABLE (is_mine boolean, epoch integer, holder text, since_ms double precision, left_ms double precision,
    requested double precision, answered double precision, read_ms double precision, seq double precision, is_watched boolean,
    sealed bytea, troubles json)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    -- First, as finish_read locks the lease before the account's row.
    IF p_ms IS NOT NULL THEN
      PERFORM hold_lease('poll:' || p_account, p_ms);
    END IF;
    IF NOT EXISTS (SELECT FROM poll WHERE account = p_account) THEN
      INSERT INTO feed (account) VALUES (p_account) ON CONFLICT DO NOTHING;
      INSERT INTO poll (account) VALUES (p_account) ON CONFLICT DO NOTHING;
    END IF;
    IF p_is_shown THEN
      UPDATE poll SET watched_until = now() + interval '90 s'
        WHERE account = p_account AND watched_until < now() + interval '45 s';
    END IF;
    IF p_trouble IS NULL THEN
      DELETE FROM poll_trouble WHERE account = p_account AND station = mine;
    ELSE
      INSERT INTO poll_trouble AS it (account, station, kind) VALUES (p_account, mine, p_trouble)
        ON CONFLICT (account, station) DO UPDATE SET kind = p_trouble, since = now() WHERE it.kind <> p_trouble;
    END IF;
    RETURN QUERY SELECT coalesce(it.holder = mine AND it.until >= now(), false), it.epoch,
        CASE WHEN it.until >= now() THEN who.name END,
        1000 * extract(epoch FROM now() - it.since)::double precision,
        CASE WHEN it.until >= now() THEN 1000 * extract(epoch FROM it.until - now()) ELSE 0 END::double precision,
        poll.requested::double precision, poll.answered::double precision,
        1000 * extract(epoch FROM now() - poll.read_at)::double precision, feed.seq::double precision,
        poll.watched_until >= now(), poll.sealed,
        (SELECT coalesce(json_agg(json_build_object('name', s.name, 'kind', t.kind,
            'sinceMs', 1000 * extract(epoch FROM now() - t.since)) ORDER BY lower(s.name)), '[]')
          FROM poll_trouble t JOIN station s ON s.id = t.station
          WHERE t.account = p_account AND s.revoked_at IS NULL)
      FROM poll JOIN feed USING (account) LEFT JOIN lease it ON it.name = 'poll:' || p_account
        LEFT JOIN station who ON who.id = it.holder
      WHERE poll.account = p_account;
  END $$;

  -- Requests that the folders are read now. Returns the number of the request.
  CREATE FUNCTION request_read(p_account uuid) RETURNS double precision
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    which bigint;
  BEGIN
    PERFORM me();
    UPDATE poll SET requested = requested + 1 WHERE account = p_account RETURNING requested INTO which;
    PERFORM pg_notify('countersign_read', p_account::text);
    RETURN which;
  END $$;

  -- Records the end of a round over the folders that began after request number p_answered. Returns whether this workstation still held the
  -- lease.
  CREATE FUNCTION finish_read(p_account uuid, p_epoch integer, p_answered bigint, p_sealed bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    had bigint;
  BEGIN
    PERFORM FROM lease WHERE name = 'poll:' || p_account AND holder = mine AND epoch = p_epoch AND until >= now() FOR SHARE;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    SELECT answered INTO had FROM poll WHERE account = p_account FOR UPDATE;
    UPDATE poll SET read_at = now(), answered = greatest(had, least(p_answered, requested)), sealed = coalesce(p_sealed, sealed)
      WHERE account = p_account;
    IF p_answered > had THEN
      PERFORM pg_notify('countersign_feed', p_account::text);
    END IF;
    RETURN true;
  END $$;

  -- Gives up the lease, so that another can read at once; p_trouble: why this workstation can't read, if it can't.
  CREATE FUNCTION release_poll(p_account uuid, p_epoch integer, p_trouble text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM release_lease('poll:' || p_account, p_epoch);
    PERFORM watch(p_account, NULL, false, p_trouble);
    PERFORM pg_notify('countersign_feed', p_account::text);
  END $$;
`

export const pollingForWorkstations = ['watch', 'request_read', 'finish_read', 'release_poll'] as const
