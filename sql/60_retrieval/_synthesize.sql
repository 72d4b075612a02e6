create function graphrag._synthesize(question text, evidence text, header jsonb, instructions text, history jsonb)
    returns jsonb
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.synthesis import synthesize
return synthesize(plpy, GD, question, evidence, header, instructions, history)
$python$;
comment on function graphrag._synthesize(text, text, jsonb, text, jsonb) is 'The answer of the current realm''s synthesis endpoint to a question on evidence; null evidence asks without any.';

create function graphrag._synthesis_prompt(question text, evidence text, header jsonb)
    returns text
    language plpython3u stable parallel unsafe
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.synthesis import prompt
return prompt(question, evidence, header)
$python$;
comment on function graphrag._synthesis_prompt(text, text, jsonb) is 'The message that asks a question on evidence, as query() sends it.';
