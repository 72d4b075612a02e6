-- It commits, so it can have no SET clause: _enter_job() pins what entry points pin, anew in each transaction.
create procedure graphrag.work(
    realm text default null,
    max_jobs integer default null,
    max_seconds double precision default null,
    max_attempts integer default 5,
    retry_after interval default '10 seconds',
    lease interval default '1 minute',
    bulk boolean default false
)
    language plpython3u
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.jobs import Limits, work
work(plpy, GD, realm, Limits(max_jobs, max_seconds, max_attempts, retry_after, lease, bulk))
$python$;
comment on procedure graphrag.work(text, integer, double precision, integer, interval, interval, boolean) is 'Works off a realm''s queue until nothing in it is due, or a limit is reached; any number of sessions may. In bulk, vector indexes are built after the rows.';
