create table graphrag.irregular_verb (
    form text primary key,
    base text not null
);
comment on table graphrag.irregular_verb is 'Forms of English verbs that no rule of inflection gives, with their bases.';
-- `found` is here only as the past of find: `founded` is the past of to found. `born` and `ground` are left out,
-- because as predicates they are not the pasts of bear and grind.
insert into graphrag.irregular_verb (form, base)
select f.form, split_part(v.forms, ' ', 1)
from unnest(string_to_array(
    'arise arose arisen,be am is are was were been,bear bore borne,beat beaten,become became,begin began begun,bend bent,'
    'bind bound,bite bit bitten,bleed bled,blow blew blown,break broke broken,breed bred,bring brought,build built,'
    'burn burnt,buy bought,catch caught,choose chose chosen,cling clung,come came,creep crept,deal dealt,dig dug,'
    'do does did done,draw drew drawn,dream dreamt,drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,'
    'feed fed,feel felt,fight fought,find found,flee fled,fling flung,fly flew flown,forbid forbade forbidden,'
    'foresee foresaw foreseen,forget forgot forgotten,forgive forgave forgiven,freeze froze frozen,get got gotten,'
    'give gave given,go goes went gone,grow grew grown,hang hung,have has had,hear heard,hide hid hidden,hold held,'
    'keep kept,kneel knelt,know knew known,lay laid,lead led,lean leant,leap leapt,learn learnt,leave left,lend lent,'
    'lie lay lain,light lit,lose lost,make made,mean meant,meet met,mistake mistook mistaken,outgrow outgrew outgrown,'
    'overcome overcame,oversee oversaw overseen,overtake overtook overtaken,overthrow overthrew overthrown,pay paid,'
    'prove proven,rebuild rebuilt,repay repaid,ride rode ridden,ring rang rung,rise rose risen,run ran,say said,'
    'see saw seen,seek sought,sell sold,send sent,sew sewn,shake shook shaken,shine shone,shoot shot,show shown,'
    'shrink shrank shrunk,sing sang sung,sink sank sunk,sit sat,sleep slept,slide slid,sow sown,speak spoke spoken,'
    'spend spent,spin spun,spring sprang sprung,stand stood,steal stole stolen,stick stuck,sting stung,strike struck,'
    'strive strove striven,swear swore sworn,sweep swept,swell swollen,swim swam swum,swing swung,take took taken,'
    'teach taught,tear tore torn,tell told,think thought,throw threw thrown,undergo undergoes underwent undergone,'
    'understand understood,undertake undertook undertaken,uphold upheld,wake woke woken,wear wore worn,weave wove woven,'
    'weep wept,win won,withdraw withdrew withdrawn,withhold withheld,withstand withstood,write wrote written',
    ','
)) as v (forms)
cross join lateral unnest((string_to_array(v.forms, ' '))[2:]) as f (form);
