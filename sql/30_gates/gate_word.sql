create table graphrag.gate_word (
    language text not null,             -- ISO 639-1; empty: no language's own
    kind text not null,
    word text not null,                 -- in lower case, but for `keep`
    primary key (word, kind, language)
);
comment on table graphrag.gate_word is 'The words by which the gates tell names from pronouns, roles, figures and dates; a realm adds its own in its gate_word table.';
-- Kinds:
--   pronoun, lower_pronoun    no name; the second only in lower case, for its capital form is a given name (Ella, Io)
--   keep                      a name all the same, in exactly this case (US, WHO, IT)
--   placeholder               what a model writes where it found none
--   article, determiner, modifier, role, common
--                             [article or determiner] [modifier] role is no name; of common only in lower case
--   relative                  no name as a whole (the latter, 同社)
--   conjunction, surname_conjunction, conjunctive, joint_name, institution, particle, title_word
--                             for joined names: what joins, what is joined for certain, what is one name although it
--                             looks joined, and to tell them apart words of institutions and small words of personal
--                             names
--   number, relative_date, calendar
--                             no name; calendar unless it is typed as a person or a work
--   work_type, person_type, figure_type
--                             entity types
--   title, male_title, female_title
--                             before a surname, or after it where names are written so; alone no name
--   rank, male_rank, female_rank
--                             before a surname, or before a given name that is nobody else's (King Charles); alone a
--                             name all the same (Prince, Lady)
--   given_title               of these, before a given name too (Sir Isaac, Don Juan)
--   generation                after a name (Jr., III)
--   male_name, female_name    given names that tell whom Mr. and Mrs. can mean
--   vague_predicate           says no more than that there is something
insert into graphrag.gate_word (language, kind, word)
select l.language, l.kind, w.word
from (
    values
        (
            'en', 'pronoun',
            'i,me,myself,mine,we,us,ourselves,our,ours,you,your,yours,yourself,yourselves,he,him,his,himself,she,'
            'her,hers,herself,it,its,itself,they,them,their,theirs,themselves,themself,my,this,that,these,those,'
            'who,whom,whose,which,what,whoever,someone,somebody,something,anyone,anybody,anything,everyone,'
            'everybody,everything,no one,nobody,nothing,none of them,each other,one another,oneself,both of them,'
            'all of them,some of them,he/she,she/he,his/her,him/her,they/them,s/he,thou,thee,thy,thine,ye'
        ),
        (
            'de', 'pronoun',
            'ich,mich,mir,du,dich,dir,er,ihn,ihm,sie,wir,ihr,euch,ihnen,sein,seine,seiner,seinem,seinen,ihre,'
            'ihrer,ihrem,ihren,unser,unsere,euer,eure,dieser,diese,dieses,diesem,diesen,jener,jene,jenes,'
            'derselbe,dieselbe,dasselbe,man,jemand,niemand,etwas,nichts,alle,einander,sich,wer,wen,wem,wessen'
        ),
        ('de', 'lower_pronoun', 'es,uns,mein,dein,was,meine,deine'),
        (
            'fr', 'pronoun',
            'je,moi,toi,il,elle,elles,ils,nous,vous,leur,leurs,eux,celui,celle,ceux,celles,celui-ci,celle-ci,'
            'ceci,cela,ça,qui,quelqu''un,quelque chose,personne,rien,lui-même,elle-même,eux-mêmes,soi,on'
        ),
        ('fr', 'lower_pronoun', 'tu,lui,te,se,le,la,les'),
        (
            'es', 'pronoun',
            'yo,él,nosotros,nosotras,vosotros,vosotras,ellos,usted,ustedes,nos,ello,este,esta,estos,estas,ese,'
            'esa,esos,esas,aquel,aquella,aquellos,aquellas,alguien,nadie,algo,nada,quien,quién,sí mismo,suyo,'
            'suya,mío,mía,tuyo,tuya'
        ),
        ('es', 'lower_pronoun', 'tú,ella,ellas,mí,ti,lo,le,les'),
        (
            'it', 'pronoun',
            'egli,esso,essa,essi,esse,voi,loro,questo,questa,questi,queste,quello,quella,quelli,quelle,qualcuno,'
            'nessuno,qualcosa,niente,chi,costui,costei,suo,sua,suoi,sue,noi'
        ),
        ('it', 'lower_pronoun', 'io,lui,lei,ella,mi,ti,gli,ci,vi,mio,mia,tuo,tua'),
        (
            'pt', 'pronoun',
            'ele,eles,elas,nós,vós,você,vocês,aquele,aquela,aqueles,aquelas,isto,isso,aquilo,este,esta,esse,essa,'
            'alguém,ninguém,algo,nada,quem,dele,dela,deles,delas,seu,sua,seus,suas'
        ),
        ('pt', 'lower_pronoun', 'eu,ela,tu,lhe,lhes,mim'),
        (
            'nl', 'pronoun',
            'ik,mij,jij,jou,je,u,hij,hem,zij,haar,wij,jullie,ons,onze,deze,dit,die,dat,iemand,niemand,iets,niets,'
            'wie,zijn,hunne,zichzelf,zich'
        ),
        ('nl', 'lower_pronoun', 'hun,hen,ze,we,het,wat'),
        (
            'ru', 'pronoun',
            'я,ты,он,она,оно,мы,вы,они,его,её,ее,их,ему,ей,им,нас,вас,них,себя,кто,что,это,этот,эта,эти,тот,та,'
            'те,никто,ничто,кто-то,что-то'
        ),
        (
            'zh', 'pronoun',
            '我,你,您,他,她,它,我们,你们,他们,她们,它们,咱们,我們,你們,他們,她們,它們,咱們,自己,谁,誰,什么,什麼,这,那,這,此人,其,该人,大家,有人,某人,对方,他人,別人,别人,这个,'
            '那个,這個,那個'
        ),
        (
            'ja', 'pronoun',
            '私,わたし,わたくし,僕,ぼく,俺,おれ,あなた,君,きみ,彼,彼女,彼ら,彼女ら,彼女たち,私たち,私達,我々,われわれ,僕ら,あいつ,こいつ,そいつ,これ,それ,あれ,この人,その人,あの人,誰,'
            'だれ,何,自分,同氏,同人,皆,誰か,何か'
        ),
        ('ko', 'pronoun', '나,저,너,당신,그,그녀,그것,이것,저것,그들,그녀들,우리,우리들,저희,너희,자신,누구,무엇,누군가,자기,이들,그분,이분,본인,아무도'),
        (
            'ar', 'pronoun',
            'أنا,نحن,أنت,أنتِ,أنتم,أنتما,أنتن,هو,هي,هم,هن,هما,هذا,هذه,ذلك,تلك,هؤلاء,أولئك,الذي,التي,الذين,من,ما,'
            'نفسه,نفسها,أحد,لا أحد,شيء'
        ),
        ('', 'keep', 'US,WHO,IT,ME,Null,The Who,The The'),
        (
            '', 'placeholder',
            'null,none,n/a,na,nan,nil,undefined,unknown,not specified,unspecified,not applicable,not available,'
            'tbd,unnamed,unidentified,no name,string,entity,object,subject,name,entity_name,entity name,'
            'placeholder,...,anonymous entity'
        ),
        ('en', 'article', 'the,a,an,some,any,each,every,another,no,both,all,such,said,certain'),
        ('en', 'determiner', 'his,her,their,its,our,your,my,this,that,these,those'),
        (
            'en', 'modifier',
            'same,other,said,above,following,new,former,latter,first,second,third,last,present,current,previous,'
            'next,whole,entire,two,three,four,aforementioned,latter''s,combined,parent,old,young,unnamed,local'
        ),
        (
            'en', 'role',
            'company,companies,firm,corporation,organization,organisation,organizations,organisations,author,'
            'authors,writer,narrator,speaker,speakers,incident,incidents,event,events,accident,case,matter,issue,'
            'issues,problem,situation,topic,subject,article,paper,study,studies,report,document,text,passage,'
            'chapter,section,paragraph,statement,agreement,deal,transaction,merger,acquisition,project,program,'
            'programme,product,products,service,services,department,committee,management,board,team,group,groups,'
            'party,parties,defendant,plaintiff,suspect,victim,victims,witness,respondent,applicant,claimant,'
            'appellant,user,users,customer,customers,client,clients,employee,employees,employer,manager,director,'
            'founder,founders,ceo,cfo,chairman,spokesperson,spokesman,spokeswoman,official,officials,researchers,'
            'researcher,scientists,scientist,experts,expert,analysts,analyst,participants,participant,patient,'
            'patients,person,people,man,woman,men,women,boy,girl,child,children,couple,family,brother,brothers,'
            'sister,sisters,father,mother,parents,parent,son,sons,daughter,daughters,husband,wife,uncle,aunt,'
            'cousin,nephew,niece,friend,friends,grandfather,grandmother,colleague,colleagues,boss,neighbor,'
            'neighbour,partner,partners,country,countries,city,town,region,area,place,location,building,house,'
            'site,facility,year,quarter,day,time,period,date,others,rest,thing,things,individual,individuals,'
            'entity,entities,item,items,one,ones,two,three,institution,agency,subsidiary,competitor,competitors,'
            'supplier,suppliers,investor,investors,shareholder,shareholders,regulator,regulators,authorities,'
            'protagonist,antagonist,character,characters,hero,heroine,gentleman,lady,stranger,visitor,reader,'
            'readers,audience,newspaper,magazine'
        ),
        (
            'en', 'common',
            'government,president,king,queen,prince,princess,doctor,captain,professor,teacher,student,students,'
            'judge,court,police,army,university,school,college,church,hospital,museum,bank,band,album,song,book,'
            'novel,film,movie,show,series,game,play,poem,painting,letter,letters,war,battle,office,village,'
            'island,river,mountain,bridge,ship,boat,plane,aircraft,airline,manufacturer,plant,factory,software,'
            'system,model,device,machine,method,technology,algorithm,dataset,law,act,bill,rule,policy,plan,'
            'strategy,bishop,pope,emperor,duke,master,clerk,ghost,spirit,animal,dog,cat,horse,studio,club,league,'
            'season,tournament,match,election,campaign,ministry,minister,mayor,governor,senator,council,union,'
            'association,society,foundation,institute,center,centre,station,airport,store,shop,market,restaurant,'
            'hotel,state,province,county,district,nation,world,state-owned company'
        ),
        (
            'en', 'relative',
            'the former,the latter,the above,the below,the following,the same,the other,the others,the first,'
            'the second,the rest,the aforementioned,aforementioned,the undersigned,the deceased,the accused,'
            'the two,the three,each of them,one of them,both,others,another,another one,the one,the ones,all,'
            'some,most,many,several,few,former,latter,here,there,elsewhere,somewhere,everywhere,nowhere,the said,'
            'the writer of this article,ibid,ibid.,ditto,same,see above'
        ),
        ('de', 'article', 'der,die,das,den,dem,des,ein,eine,einer,einem,einen,eines'),
        (
            'de', 'determiner',
            'dieser,diese,dieses,diesem,diesen,jener,jene,jenes,sein,seine,seinem,seinen,seiner,ihr,ihre,ihrem,'
            'ihren,ihrer,mein,meine,meinem,meinen,unser,unsere,dein,deine,euer,eure'
        ),
        ('de', 'modifier', 'genannte,genannten,erste,zweite,neue,neuen,alte,betreffende,gleiche'),
        (
            'de', 'role',
            'firma,unternehmen,gesellschaft,konzern,betrieb,autor,autorin,verfasser,verfasserin,erzähler,vorfall,'
            'ereignis,unfall,fall,bericht,artikel,studie,dokument,text,kapitel,projekt,produkt,gruppe,team,'
            'abteilung,kläger,beklagte,angeklagte,opfer,zeuge,täter,kunde,kunden,mitarbeiter,chef,leiter,gründer,'
            'sprecher,mann,frau,kind,kinder,junge,mädchen,bruder,schwester,vater,mutter,eltern,sohn,tochter,'
            'onkel,tante,freund,freundin,ehemann,ehefrau,nachbar,kollege,land,stadt,ort,gebäude,haus,familie,'
            'person,personen,leute,jahr,behörde,institution,nutzer,forscher'
        ),
        (
            'de', 'relative',
            'ersterer,erstere,ersteres,letzterer,letztere,letzteres,beide,beiden,die beiden,andere,alle,einige,'
            'das obige,der verstorbene,der genannte'
        ),
        ('fr', 'article', 'le,la,les,un,une,des,l'',ce,cet,cette,ces'),
        (
            'fr', 'determiner',
            'son,sa,ses,mon,ma,mes,ton,ta,tes,notre,nos,votre,vos,leur,leurs,ce,cet,cette,ces'
        ),
        ('fr', 'modifier', 'même,autre,nouvelle,nouveau,première,premier,dite,dit'),
        (
            'fr', 'role',
            'entreprise,société,compagnie,firme,auteur,auteure,narrateur,incident,événement,évènement,accident,'
            'affaire,cas,rapport,article,étude,document,texte,chapitre,projet,produit,groupe,équipe,département,'
            'plaignant,accusé,victime,témoin,suspect,client,clients,employé,employés,directeur,patron,fondateur,'
            'porte-parole,homme,femme,enfant,enfants,garçon,fille,frère,sœur,soeur,père,mère,parents,fils,oncle,'
            'tante,ami,amie,mari,épouse,voisin,collègue,pays,ville,lieu,bâtiment,maison,famille,personne,'
            'personnes,gens,année,organisation,institution,utilisateur,chercheurs'
        ),
        (
            'fr', 'relative',
            'ce dernier,cette dernière,ces derniers,le premier,la première,le second,la seconde,les deux,'
            'l''autre,les autres,le susdit,ledit,ladite,celui-là,celle-là,tous,certains'
        ),
        ('es', 'article', 'el,la,los,las,un,una,unos,unas'),
        (
            'es', 'determiner',
            'su,sus,mi,mis,tu,tus,nuestro,nuestra,nuestros,nuestras,vuestro,vuestra,este,esta,estos,estas,ese,'
            'esa,esos,esas,aquel,aquella'
        ),
        ('es', 'modifier', 'misma,mismo,otra,otro,nueva,nuevo,primera,primer,citada,citado,dicha'),
        (
            'es', 'role',
            'empresa,compañía,sociedad,firma,autor,autora,narrador,incidente,evento,suceso,accidente,caso,'
            'informe,artículo,estudio,documento,texto,capítulo,proyecto,producto,grupo,equipo,departamento,'
            'demandante,acusado,acusada,víctima,testigo,sospechoso,cliente,clientes,empleado,empleados,director,'
            'directora,jefe,fundador,portavoz,hombre,mujer,niño,niña,niños,hermano,hermana,padre,madre,padres,'
            'hijo,hija,tío,tía,amigo,amiga,marido,esposa,vecino,colega,país,ciudad,lugar,edificio,casa,familia,'
            'persona,personas,gente,año,organización,institución,usuario,investigadores'
        ),
        (
            'es', 'relative',
            'el primero,la primera,el segundo,la segunda,el último,la última,este último,esta última,los dos,'
            'las dos,ambos,ambas,el otro,la otra,los demás,el mismo,dicha empresa,dicho autor,todos,algunos'
        ),
        ('it', 'article', 'il,lo,la,i,gli,le,un,uno,una,l'',un'''),
        (
            'it', 'determiner',
            'suo,sua,suoi,sue,mio,mia,miei,mie,tuo,tua,nostro,nostra,nostri,nostre,vostro,vostra,loro,questo,'
            'questa,questi,queste,quel,quello,quella,quei,quegli,quelle,quest'''
        ),
        (
            'it', 'modifier',
            'stessa,stesso,altra,altro,nuova,nuovo,prima,primo,suddetta,suddetto,sua,suo,loro,mio,mia'
        ),
        (
            'it', 'role',
            'azienda,società,impresa,compagnia,ditta,autore,autrice,narratore,incidente,evento,caso,rapporto,'
            'articolo,studio,documento,testo,capitolo,progetto,prodotto,gruppo,squadra,reparto,imputato,vittima,'
            'testimone,sospettato,cliente,clienti,dipendente,dipendenti,direttore,capo,fondatore,portavoce,uomo,'
            'donna,bambino,bambina,bambini,fratello,sorella,padre,madre,genitori,figlio,figlia,zio,zia,amico,'
            'amica,marito,moglie,vicino,collega,paese,città,luogo,edificio,casa,famiglia,persona,persone,gente,'
            'anno,organizzazione,istituzione,utente,ricercatori'
        ),
        (
            'it', 'relative',
            'il primo,la prima,il secondo,la seconda,quest'' ultimo,quest'' ultima,i due,le due,entrambi,'
            'entrambe,l'' altro,l'' altra,gli altri,lo stesso,la stessa,tutti,alcuni'
        ),
        ('pt', 'article', 'o,a,os,as,um,uma,uns,umas'),
        (
            'pt', 'determiner',
            'seu,sua,seus,suas,meu,minha,meus,minhas,teu,tua,nosso,nossa,nossos,nossas,este,esta,estes,estas,'
            'esse,essa,esses,essas,aquele,aquela'
        ),
        ('pt', 'modifier', 'mesma,mesmo,outra,outro,nova,novo,primeira,primeiro,referida,referido,sua,seu'),
        (
            'pt', 'role',
            'empresa,companhia,sociedade,firma,autor,autora,narrador,incidente,evento,acidente,caso,relatório,'
            'artigo,estudo,documento,texto,capítulo,projeto,produto,grupo,equipe,equipa,departamento,réu,vítima,'
            'testemunha,suspeito,cliente,clientes,funcionário,funcionários,empregado,diretor,diretora,chefe,'
            'fundador,porta-voz,homem,mulher,criança,crianças,menino,menina,irmão,irmã,pai,mãe,pais,filho,filha,'
            'tio,tia,amigo,amiga,marido,esposa,vizinho,colega,país,cidade,lugar,edifício,casa,família,pessoa,'
            'pessoas,gente,ano,organização,instituição,usuário,pesquisadores'
        ),
        (
            'pt', 'relative',
            'o primeiro,a primeira,o segundo,a segunda,este último,esta última,o último,os dois,as duas,ambos,'
            'ambas,o outro,a outra,os outros,o mesmo,a mesma,todos,alguns'
        ),
        ('nl', 'article', 'de,het,een,''t'),
        ('nl', 'determiner', 'zijn,haar,hun,mijn,jouw,ons,onze,jullie,uw,deze,dit,die,dat'),
        ('nl', 'modifier', 'zelfde,dezelfde,andere,nieuwe,eerste,tweede,genoemde,betreffende'),
        (
            'nl', 'role',
            'bedrijf,onderneming,firma,maatschappij,vennootschap,auteur,schrijver,verteller,incident,voorval,'
            'gebeurtenis,ongeval,zaak,rapport,artikel,studie,document,tekst,hoofdstuk,project,product,groep,team,'
            'afdeling,verdachte,slachtoffer,getuige,klant,klanten,werknemer,werknemers,directeur,baas,oprichter,'
            'woordvoerder,man,vrouw,kind,kinderen,jongen,meisje,broer,zus,zuster,vader,moeder,ouders,zoon,'
            'dochter,oom,tante,vriend,vriendin,echtgenoot,echtgenote,buurman,collega,land,stad,plaats,gebouw,'
            'huis,familie,persoon,personen,mensen,jaar,organisatie,instelling,gebruiker,onderzoekers'
        ),
        (
            'nl', 'relative',
            'eerstgenoemde,laatstgenoemde,de eerste,de tweede,de laatste,beide,beiden,de ander,de anderen,'
            'hetzelfde,dezelfde,allen,sommigen'
        ),
        ('ru', 'determiner', 'его,её,ее,их,мой,моя,мои,наш,наша,этот,эта,это,эти,тот,та,свой,своя'),
        (
            'ru', 'role',
            'компания,фирма,автор,рассказчик,инцидент,событие,случай,отчёт,отчет,статья,проект,группа,брат,'
            'сестра,отец,мать,сын,дочь,муж,жена,друг,человек,страна,город,организация'
        ),
        (
            'ru', 'relative',
            'данная компания,указанная компания,последний,последняя,первый,первая,оба,обе,другой,другая,все'
        ),
        ('zh', 'relative', '作者,笔者,筆者,前者,后者,後者,双方,雙方,两者,二者,当事人,上述,以上,其他人'),
        ('zh', 'determiner', '该,本,此,这家,那家,这个,那个,这,那,這家,這個,那個,该家,贵,敝,他的,她的,它的,我的,你的,他们的,我们的,其,上述'),
        (
            'zh', 'role',
            '公司,企业,企業,集团,机构,组织,組織,作者,笔者,筆者,叙述者,事件,事故,案件,报告,文章,论文,文件,项目,产品,部门,团队,小组,客户,员工,经理,创始人,发言人,人,男人,女人,孩子,'
            '哥哥,弟弟,兄弟,姐姐,妹妹,父亲,母亲,父母,儿子,女儿,丈夫,妻子,朋友,同事,国家,城市,地方,地区,建筑,家庭,年,书,研究'
        ),
        ('ja', 'relative', '著者,筆者,作者,前者,後者,両者,両社,双方,当事者,自社,御社,貴社,上記,その他'),
        ('ja', 'determiner', 'この,その,あの,同,当,弊,本,彼の,彼女の,私の,彼らの,我々の,自分の,上記の,前述の'),
        (
            'ja', 'role',
            '会社,企業,社,団体,組織,著者,筆者,作者,語り手,事件,事故,出来事,報告書,記事,論文,文書,プロジェクト,製品,部署,チーム,グループ,顧客,社員,社長,創業者,人物,人,男,女,男性,女性,'
            '子供,兄,弟,姉,妹,父,母,両親,息子,娘,夫,妻,友人,同僚,国,都市,町,場所,建物,家族,年,本,研究,問題'
        ),
        ('ko', 'relative', '저자,필자,전자,후자,양자,쌍방,양사,당사,동사,자사,본사,귀사,상기,기타'),
        ('ko', 'determiner', '그,이,저,해당,본,당,우리,그의,그녀의,나의,내,그들의,자신의,위의'),
        (
            'ko', 'role',
            '회사,기업,단체,조직,저자,필자,작가,화자,사건,사고,보고서,기사,논문,문서,프로젝트,제품,부서,팀,그룹,고객,직원,사장,창업자,대변인,사람,남자,여자,아이,형,동생,누나,언니,'
            '오빠,아버지,어머니,부모,아들,딸,남편,아내,친구,동료,나라,도시,장소,건물,가족,해,책,연구'
        ),
        ('ar', 'determiner', 'هذا,هذه,ذلك,تلك'),
        (
            'ar', 'role',
            'شركة,مؤسسة,منظمة,مؤلف,كاتب,راوي,حادث,حادثة,حدث,قضية,تقرير,مقال,دراسة,وثيقة,مشروع,منتج,فريق,مجموعة,'
            'قسم,عميل,موظف,مدير,مؤسس,متحدث,رجل,امرأة,طفل,أطفال,أخ,أخت,أب,أم,ابن,ابنة,زوج,زوجة,صديق,بلد,مدينة,'
            'مكان,مبنى,عائلة,شخص,ناس,عام,كتاب,الشركة,المؤسسة,المنظمة,المؤلف,الكاتب,الراوي,الحادث,الحادثة,الحدث,'
            'القضية,التقرير,المقال,الدراسة,الوثيقة,المشروع,المنتج,الفريق,المجموعة,القسم,العميل,الموظف,المدير,'
            'المؤسس,المتحدث,الرجل,الامرأة,الطفل,الأطفال,الأخ,الأخت,الأب,الأم,الابن,الابنة,الزوج,الزوجة,الصديق,'
            'البلد,المدينة,المكان,المبنى,العائلة,الشخص,الناس,العام,الكتاب'
        ),
        (
            'ar', 'relative',
            'الشركة,المؤسسة,المنظمة,المؤلف,الكاتب,الراوي,الحادث,الحادثة,الحدث,القضية,التقرير,المقال,الدراسة,'
            'الوثيقة,المشروع,المنتج,الفريق,المجموعة,القسم,العميل,الموظف,المدير,المؤسس,المتحدث,الرجل,الامرأة,'
            'الطفل,الأطفال,الأخ,الأخت,الأب,الأم,الابن,الابنة,الزوج,الزوجة,الصديق,البلد,المدينة,المكان,المبنى,'
            'العائلة,الشخص,الناس,العام,الكتاب,أخوه,أخوها,أخيه,أخته,أختها,والده,والدها,والدته,والدتها,ابنه,ابنها,'
            'ابنته,زوجته,زوجها,صديقه,صديقها,الأول,الثاني,الأخير,الأخيرة,كلاهما,الآخر,الآخرون,الجميع'
        ),
        ('en', 'conjunction', 'and,&,or'),
        ('de', 'conjunction', 'und,oder'),
        ('fr', 'conjunction', 'et,ou'),
        ('nl', 'conjunction', 'en'),
        ('ru', 'conjunction', 'и,или'),
        ('es', 'surname_conjunction', 'y,e,o'),
        ('pt', 'surname_conjunction', 'e'),
        ('it', 'surname_conjunction', 'e,ed,o'),
        ('ca', 'surname_conjunction', 'i'),
        ('ar', 'conjunction', 'و'),
        ('ar', 'conjunctive', 'هو وهي,هي وهو,أنا وهو,أنا وهي,أنا وأنت,هم وهن'),
        (
            'en', 'joint_name',
            'great britain and northern ireland,french southern and antarctic lands,'
            'south georgia and south sandwich islands,king charles and queen camilla foundation,'
            'new south wales and victoria border,jekyll and hyde,dr jekyll and mr hyde,dr. jekyll and mr. hyde,'
            'strange case of dr jekyll and mr hyde'
        ),
        (
            '', 'title_word',
            'when,where,why,how,if,with,without,after,before,from,into,under,over,through,between,beyond,against,'
            'behind,among,until,since,wenn,wie,warum,mit,nach,zwischen,ohne,quand,comment,pourquoi,avec,sans,entre,'
            'sous,dans,cuando,cómo,con,sin,bajo,desde,quando,come,senza,tra,fra,sotto,com,sem,sob,wanneer,hoe,met,'
            'tussen,onder,zonder'
        ),
        (
            '', 'institution',
            'administration,agency,analysis,cathedral,garden,gardens,lands,memoir,stories,zoo,agreement,air,'
            'airlines,airport,airways,archives,army,arts,assembly,association,authority,bank,band,battle,board,'
            'brothers,bureau,center,centre,charter,church,city,club,co,co.,college,commission,committee,company,'
            'conference,congress,conservatory,convention,corp,corp.,corporation,council,court,department,'
            'development,directorate,division,education,engineering,environment,executive,federation,festival,'
            'finance,force,forum,foundation,fund,gallery,government,group,health,high,history,holdings,home,'
            'hospital,house,housing,inc,inc.,industries,industry,information,initiative,institute,institution,'
            'international,island,islands,joint,journal,justice,laboratories,laboratory,labour,law,league,'
            'library,limited,llc,llp,ltd,ltd.,management,marine,market,medical,medicine,ministry,museum,national,'
            'natural,navy,office,opera,orchestra,organisation,organization,park,partners,party,plc,policy,press,'
            'program,programme,project,public,publishers,railway,railways,records,region,registry,research,'
            'resources,review,school,science,sciences,security,service,services,social,societies,society,sons,'
            'statistics,studies,systems,technical,technology,trade,transport,treaty,trust,union,university,war,'
            'works,world'
        ),
        (
            '', 'particle',
            'de,del,della,der,den,di,da,do,dos,das,du,van,von,zu,zur,la,le,el,al,bin,ibn,ben,af,av,ter,ten,y'
        ),
        (
            'en', 'number',
            'zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,'
            'sixteen,seventeen,eighteen,nineteen,twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety,hundred,'
            'hundreds,thousand,thousands,million,millions,billion,billions,trillion,dozen,dozens,half,couple,'
            'percent'
        ),
        (
            'de', 'number',
            'eins,zwei,drei,vier,fünf,sechs,sieben,acht,neun,zehn,elf,zwölf,dreizehn,vierzehn,fünfzehn,sechzehn,'
            'siebzehn,achtzehn,neunzehn,zwanzig,dreißig,vierzig,fünfzig,sechzig,siebzig,achtzig,neunzig,hundert,'
            'tausend,million,millionen,milliarde,milliarden,dutzend,prozent'
        ),
        (
            'fr', 'number',
            'zéro,un,deux,trois,quatre,cinq,six,sept,huit,neuf,dix,onze,douze,treize,quatorze,quinze,seize,vingt,'
            'trente,quarante,cinquante,soixante,cent,cents,mille,million,millions,milliard,milliards,douzaine,'
            'dix-sept,dix-huit,dix-neuf,quatre-vingt,quatre-vingts'
        ),
        (
            'es', 'number',
            'cero,uno,dos,tres,cuatro,cinco,seis,siete,ocho,nueve,diez,once,doce,trece,catorce,quince,dieciséis,'
            'diecisiete,dieciocho,diecinueve,veinte,treinta,cuarenta,cincuenta,sesenta,setenta,ochenta,noventa,'
            'cien,ciento,quinientos,mil,millón,millones,docena'
        ),
        (
            'it', 'number',
            'zero,uno,due,tre,quattro,cinque,sei,sette,otto,nove,dieci,undici,dodici,tredici,quattordici,'
            'quindici,sedici,diciassette,diciotto,diciannove,venti,trenta,quaranta,cinquanta,sessanta,settanta,'
            'ottanta,novanta,cento,duecento,mille,mila,milione,milioni,miliardo,miliardi,dozzina'
        ),
        (
            'pt', 'number',
            'zero,um,dois,duas,três,quatro,cinco,seis,sete,oito,nove,dez,onze,doze,treze,catorze,quatorze,quinze,'
            'dezesseis,dezessete,dezoito,dezenove,vinte,trinta,quarenta,cinquenta,sessenta,setenta,oitenta,'
            'noventa,cem,cento,duzentos,mil,milhão,milhões,bilhão,bilhões,dúzia'
        ),
        (
            'nl', 'number',
            'nul,één,twee,drie,vier,vijf,zes,zeven,acht,negen,tien,elf,twaalf,dertien,veertien,vijftien,zestien,'
            'zeventien,achttien,negentien,twintig,dertig,veertig,vijftig,zestig,zeventig,tachtig,negentig,'
            'honderd,duizend,miljoen,miljard,dozijn,procent'
        ),
        (
            'ru', 'number',
            'ноль,один,два,три,четыре,пять,шесть,семь,восемь,девять,десять,одиннадцать,двенадцать,двадцать,'
            'тридцать,сорок,пятьдесят,сто,тысяча,тысяч,миллион,миллионов,миллиард'
        ),
        ('zh', 'number', '零,一,二,两,三,四,五,六,七,八,九,十,百,千,万,一百,一千,一万,十万,百万,千万,一亿,几个,数百,数千,三百,五百,两千,一半'),
        ('ja', 'number', 'ゼロ,一つ,二つ,三つ,四つ,五つ,六つ,七つ,八つ,九つ,十,百,千,一万,百万,千万,一億,数百,数千,半分,一人,二人,三人,五人'),
        ('ko', 'number', '영,하나,둘,셋,넷,다섯,여섯,일곱,여덟,아홉,열,스물,백,천,만,백만,천만,억,수백,수천,절반,십,두 명,세 명,다섯 명'),
        (
            'ar', 'number',
            'صفر,واحد,اثنان,ثلاثة,أربعة,خمسة,ستة,سبعة,ثمانية,تسعة,عشرة,عشرون,ثلاثون,أربعون,خمسون,ستون,سبعون,'
            'ثمانون,تسعون,مئة,مائة,ألف,مليون,مليار,نصف'
        ),
        (
            'en', 'relative_date',
            'today,yesterday,tomorrow,tonight,now,then,last year,this year,next year,last month,this month,'
            'next month,last week,this week,next week,last night,this morning,the next day,the previous year,'
            'the following year,the same year,that day,that year,recently,currently,later,earlier,at present,'
            'the present,the past,the future,last quarter,this quarter,next quarter,the day before,the day after,'
            'the following day,ago,a year ago,two years ago'
        ),
        (
            'de', 'relative_date',
            'heute,gestern,morgen,jetzt,letztes jahr,dieses jahr,nächstes jahr,letzte woche,diese woche,'
            'nächste woche,vorgestern,übermorgen,kürzlich'
        ),
        (
            'fr', 'relative_date',
            'aujourd''hui,hier,demain,maintenant,l''année dernière,cette année,l''année prochaine,'
            'la semaine dernière,récemment,l'' année dernière,l'' année prochaine'
        ),
        (
            'es', 'relative_date',
            'hoy,ayer,mañana,ahora,el año pasado,este año,el próximo año,la semana pasada,recientemente'
        ),
        (
            'it', 'relative_date',
            'oggi,ieri,domani,adesso,l''anno scorso,l'' anno scorso,quest''anno,quest'' anno,la settimana scorsa,'
            'recentemente'
        ),
        ('pt', 'relative_date', 'hoje,ontem,amanhã,agora,o ano passado,este ano,a semana passada,recentemente'),
        (
            'nl', 'relative_date',
            'vandaag,gisteren,morgen,nu,vorig jaar,dit jaar,volgend jaar,vorige week,onlangs'
        ),
        ('ru', 'relative_date', 'сегодня,вчера,завтра,сейчас,в прошлом году'),
        ('zh', 'relative_date', '今天,昨天,明天,现在,去年,今年,明年,上周,下周,最近,当时,後来,后来'),
        ('ja', 'relative_date', '今日,昨日,明日,今,現在,去年,昨年,今年,来年,先週,来週,最近,当時'),
        ('ko', 'relative_date', '오늘,어제,내일,지금,현재,작년,올해,내년,지난주,다음 주,최근'),
        (
            'ar', 'relative_date',
            'اليوم,أمس,غدا,غدًا,الآن,العام الماضي,هذا العام,العام المقبل,الأسبوع الماضي,مؤخرا'
        ),
        (
            'en', 'calendar',
            'january,february,march,april,may,june,july,august,september,october,november,december,monday,'
            'tuesday,wednesday,thursday,friday,saturday,sunday,spring,summer,autumn,winter'
        ),
        (
            'de', 'calendar',
            'januar,februar,märz,mai,juni,juli,oktober,dezember,montag,dienstag,mittwoch,donnerstag,freitag,'
            'samstag,sonntag,sonnabend'
        ),
        (
            'fr', 'calendar',
            'janvier,février,avril,juin,juillet,août,septembre,octobre,novembre,décembre,lundi,mardi,mercredi,'
            'jeudi,vendredi,samedi,dimanche'
        ),
        (
            'es', 'calendar',
            'enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre,lunes,'
            'martes,miércoles,jueves,viernes,sábado,domingo'
        ),
        (
            'it', 'calendar',
            'gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,settembre,ottobre,novembre,dicembre,lunedì,'
            'martedì,mercoledì,giovedì,venerdì,sabato,domenica'
        ),
        (
            'pt', 'calendar',
            'janeiro,fevereiro,março,maio,junho,julho,setembro,outubro,novembro,dezembro,segunda-feira,'
            'terça-feira,quarta-feira,quinta-feira,sexta-feira'
        ),
        (
            'nl', 'calendar',
            'januari,februari,maart,mei,augustus,maandag,dinsdag,woensdag,donderdag,vrijdag,zaterdag,zondag'
        ),
        (
            'ru', 'calendar',
            'январь,февраль,март,апрель,май,июнь,июль,август,сентябрь,октябрь,ноябрь,декабрь,понедельник,вторник,'
            'среда,четверг,пятница,суббота,воскресенье'
        ),
        (
            'zh', 'calendar',
            '星期一,星期二,星期三,星期四,星期五,星期六,星期日,星期天,周一,周二,周三,周四,周五,周六,周日,一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月'
        ),
        ('ja', 'calendar', '月曜日,火曜日,水曜日,木曜日,金曜日,土曜日,日曜日,月曜,火曜,水曜,木曜,金曜,土曜,日曜'),
        ('ko', 'calendar', '월요일,화요일,수요일,목요일,금요일,토요일,일요일'),
        (
            'ar', 'calendar',
            'يناير,فبراير,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر,الاثنين,الثلاثاء,الأربعاء,'
            'الخميس,الجمعة,السبت,الأحد'
        ),
        (
            '', 'work_type',
            'work,works,creative work,creativework,book,novel,film,movie,play,song,album,single,series,show,game,'
            'video game,videogame,painting,poem,opera,artwork,magazine,periodical,newspaper,journal,publication,'
            'story,short story,comic,manga,anime,musical,podcast,documentary,product,brand,model,vehicle,'
            'aircraft,device,software,band,musicalgroup,group,code,flight,bus line,route,title,tv show,'
            'television series,tvshow,work of art,workofart,work_of_art'
        ),
        ('en', 'title', 'dr,prof,professor,doctor,rev,reverend,hon,mx'),
        ('en', 'male_title', 'mr,mister,sir'),
        ('en', 'female_title', 'mrs,ms,miss,mistress,madam,ma''am'),
        (
            'en', 'rank',
            'gen,general,col,colonel,maj,major,capt,captain,lt,lieutenant,sgt,sergeant,cpl,corporal,adm,'
            'admiral,cmdr,commander,president,pres,senator,sen,rep,representative,'
            'congressman,governor,gov,mayor,judge,justice,chancellor,minister,secretary,ambassador,bishop,'
            'archbishop,cardinal,chief,detective,inspector,officer,coach,pastor,rabbi,imam'
        ),
        (
            'en', 'male_rank',
            'king,prince,emperor,lord,duke,earl,count,baron,master,father,brother,uncle,friar,saint,st,pope'
        ),
        ('en', 'given_title', 'sir,miss,master,dame,don,doña,dom,dona'),
        (
            'en', 'female_rank',
            'queen,princess,empress,lady,dame,duchess,countess,baroness,mother,sister,aunt,congresswoman'
        ),
        ('de', 'title', 'dr,prof,professor,doktor,dipl.-ing'),
        ('de', 'male_title', 'herr,herrn,hr'),
        ('de', 'female_title', 'frau,fr,fräulein,frl'),
        ('de', 'male_rank', 'freiherr,graf,fürst,könig,kaiser,herzog,prinz'),
        ('de', 'female_rank', 'freifrau,gräfin,fürstin,königin,kaiserin,herzogin,prinzessin'),
        ('fr', 'title', 'docteur,professeur,maître'),
        ('fr', 'male_title', 'm,monsieur'),
        ('fr', 'female_title', 'mme,madame,mlle,mademoiselle'),
        ('fr', 'male_rank', 'roi,prince,comte,duc,marquis,abbé,père'),
        ('fr', 'female_rank', 'reine,princesse,comtesse,duchesse,marquise'),
        ('es', 'title', 'dr,prof'),
        ('es', 'male_title', 'sr,señor,profesor,doctor'),
        ('es', 'female_title', 'sra,señora,srta,señorita,dra,doctora,profesora'),
        ('es', 'male_rank', 'don,rey,príncipe,conde,duque'),
        ('es', 'female_rank', 'doña,reina,princesa,condesa,duquesa'),
        ('it', 'title', 'prof,avv'),
        ('it', 'male_title', 'sig,signor,signore,dott,dottor,dottore'),
        ('it', 'female_title', 'sig.ra,signora,sig.na,signorina,dott.ssa,dottoressa,prof.ssa'),
        ('it', 'male_rank', 'principe,conte,duca'),
        ('it', 'female_rank', 'donna,regina,principessa,contessa,duchessa'),
        ('pt', 'male_title', 'sr,senhor,doutor'),
        ('pt', 'female_title', 'sra,senhora,srta,senhorita,dra,doutora'),
        ('pt', 'male_rank', 'dom,rei,conde'),
        ('pt', 'female_rank', 'dona,rainha,condessa'),
        ('nl', 'title', 'drs,dr,prof'),
        ('nl', 'male_title', 'dhr,meneer,mijnheer'),
        ('nl', 'female_title', 'mevr,mevrouw,mw,mej,mejuffrouw'),
        ('nl', 'male_rank', 'koning,prins,graaf,hertog'),
        ('nl', 'female_rank', 'koningin,prinses,gravin,hertogin'),
        ('ru', 'title', 'доктор,профессор,товарищ'),
        ('ru', 'male_title', 'господин,г-н'),
        ('ru', 'female_title', 'госпожа,г-жа'),
        ('zh', 'title', '教授,博士,医生,醫生,老师,老師'),
        ('zh', 'male_title', '先生'),
        ('zh', 'female_title', '女士,小姐,太太,夫人'),
        ('ja', 'title', '教授,博士,氏,さん,様,さま,殿,ちゃん,先生'),
        ('ja', 'male_title', '君,くん'),
        ('ja', 'female_title', '夫人,女史,嬢'),
        ('ko', 'title', '씨,님,선생님,선생,교수,박사,교수님'),
        ('ko', 'female_title', '여사,양'),
        ('ar', 'title', 'الدكتور,د,الأستاذ,البروفيسور'),
        ('ar', 'male_title', 'السيد,سيد'),
        ('ar', 'female_title', 'السيدة,الدكتورة,الآنسة,الأستاذة'),
        ('ar', 'rank', 'الشيخ,الملك,الأمير'),
        ('', 'generation', 'jr,sr,ii,iii,iv,junior,senior,fils,filho,neto,júnior'),
        (
            'en', 'male_name',
            'aaron,adam,alan,albert,alexander,alfred,andrew,anthony,arthur,benjamin,bernard,bill,bob,brian,bruce,'
            'charles,christopher,daniel,david,dennis,donald,douglas,ebenezer,edgar,edmund,edward,eric,ernest,eugene,'
            'francis,frank,frederick,gary,geoffrey,george,gerald,gilbert,gordon,graham,gregory,harold,harry,henry,'
            'herbert,howard,hugh,isaac,jack,jacob,james,jason,jeffrey,jeremy,jerry,jim,joe,john,jonathan,joseph,'
            'joshua,keith,kenneth,kevin,lawrence,leonard,louis,mark,martin,matthew,michael,nathan,nicholas,oliver,'
            'oscar,patrick,paul,peter,philip,ralph,raymond,richard,robert,roger,ronald,roy,russell,samuel,scott,'
            'simon,stephen,steven,stuart,theodore,thomas,tim,timothy,tom,victor,vincent,walter,william'
        ),
        (
            'en', 'female_name',
            'abigail,agatha,agnes,alice,amanda,amelia,amy,angela,ann,anna,anne,audrey,barbara,beatrice,belinda,'
            'betty,beverly,carol,caroline,catherine,charlotte,christine,clara,clarissa,cynthia,deborah,diana,donna,'
            'dorothy,edith,eleanor,elizabeth,ellen,emily,emma,esther,eva,fanny,florence,frances,georgina,gladys,'
            'grace,hannah,harriet,heather,helen,hillary,irene,jane,janet,jennifer,jessica,joan,judith,julia,karen,'
            'kate,katherine,laura,linda,lisa,louise,lucy,lydia,margaret,maria,martha,mary,maureen,melania,melissa,'
            'michelle,mildred,nancy,nicole,olivia,pamela,patricia,pauline,rachel,rebecca,rosemary,ruth,sandra,sarah,'
            'sharon,sheila,sophia,stephanie,susan,teresa,theresa,victoria,violet,virginia,wendy,winifred'
        ),
        (
            'de', 'male_name',
            'andreas,bernd,christian,dieter,ernst,florian,friedrich,fritz,georg,gerhard,günther,hans,heinrich,'
            'heinz,helmut,hermann,horst,johann,johannes,jürgen,karl,klaus,konrad,kurt,lukas,manfred,markus,matthias,'
            'max,otto,rainer,rolf,stefan,thomas,uwe,werner,wilhelm,wolfgang'
        ),
        (
            'de', 'female_name',
            'annette,birgit,brigitte,christa,claudia,elfriede,elisabeth,erika,eva,frieda,gabriele,gertrud,gisela,'
            'hannelore,heike,helga,hildegard,ilse,inge,ingrid,johanna,katharina,käthe,luise,monika,petra,renate,'
            'sabine,silke,susanne,ulrike,ursula,ute'
        ),
        (
            'fr', 'male_name',
            'alain,antoine,bernard,bruno,christophe,édouard,émile,étienne,fabrice,françois,frédéric,gérard,gilles,'
            'guillaume,guy,henri,hervé,hugues,jacques,jean,jean-pierre,jérôme,julien,laurent,luc,marcel,mathieu,'
            'nicolas,olivier,pascal,patrice,philippe,pierre,raymond,rené,serge,sébastien,thierry,xavier,yves'
        ),
        (
            'fr', 'female_name',
            'adèle,amélie,anaïs,aurélie,béatrice,brigitte,camille,cécile,chantal,claire,colette,delphine,élodie,'
            'émilie,françoise,geneviève,hélène,isabelle,jacqueline,jeanne,juliette,madeleine,marguerite,marie,'
            'marine,martine,mathilde,monique,nathalie,odette,simone,sophie,sylvie,thérèse,valérie,véronique,yvonne'
        ),
        (
            'es', 'male_name',
            'alberto,alejandro,álvaro,antonio,carlos,diego,eduardo,enrique,felipe,fernando,francisco,gabriel,'
            'gonzalo,guillermo,ignacio,javier,joaquín,jorge,josé,juan,luis,manuel,mario,miguel,pablo,pedro,rafael,'
            'ramón,ricardo,roberto,rodrigo,santiago,sergio,vicente'
        ),
        (
            'es', 'female_name',
            'adriana,alicia,ana,beatriz,carmen,carolina,catalina,consuelo,cristina,dolores,elena,esperanza,gloria,'
            'inés,isabel,josefa,juana,lucía,luisa,maría,marta,mercedes,montserrat,nuria,paula,pilar,rocío,rosa,'
            'silvia,sofía,teresa,yolanda'
        ),
        (
            'it', 'male_name',
            'alessandro,angelo,antonio,carlo,claudio,davide,domenico,enrico,fabio,filippo,franco,gianni,giacomo,'
            'giorgio,giovanni,giuseppe,guido,lorenzo,luca,luigi,marco,matteo,paolo,pietro,salvatore,silvio,stefano,'
            'umberto,vincenzo,vittorio'
        ),
        (
            'it', 'female_name',
            'alessandra,angela,antonella,bianca,caterina,chiara,claudia,elena,elisabetta,federica,francesca,'
            'giovanna,giulia,giuseppina,ilaria,laura,lucia,maddalena,margherita,maria,paola,rosa,silvia,sofia,'
            'teresa,valentina'
        ),
        (
            'pt', 'male_name',
            'afonso,antónio,antônio,armando,artur,fernando,francisco,gilberto,henrique,joão,joaquim,jorge,luís,luiz,'
            'manuel,miguel,nuno,paulo,pedro,rui,sérgio,vasco'
        ),
        (
            'pt', 'female_name',
            'amália,ana,beatriz,dilma,fátima,fernanda,helena,inês,joana,lúcia,luísa,margarida,maria'
        ),
        ('nl', 'male_name', 'bart,cornelis,dirk,geert,gerrit,hendrik,jan,jeroen,joost,kees,maarten,piet,pieter,willem'),
        ('nl', 'female_name', 'annelies,beatrix,geertruida,hendrika,ineke,johanna,marijke,saskia,truus,wilhelmina'),
        (
            'ru', 'male_name',
            'александр,алексей,андрей,борис,виктор,владимир,дмитрий,иван,михаил,николай,олег,пётр,сергей,юрий'
        ),
        (
            'ru', 'female_name',
            'анна,валентина,галина,екатерина,елена,ирина,людмила,мария,наталья,ольга,светлана,татьяна'
        ),
        (
            '', 'person_type',
            'person,people,human,character,fictional character,individual,artist,politician,actor,author'
        ),
        (
            '', 'figure_type',
            'number,quantity,amount,money,currency,percent,percentage,value,figure,measure,measurement,metric,price,'
            'distance,length,weight,mass,date,time,duration,age,year,ordinal,cardinal,statistic,unit'
        ),
        (
            'en', 'vague_predicate',
            'related,relate,relates,related_to,relates_to,relate_to,related_with,relating_to,relation,'
            'relation_to,relations,relationship,relationship_to,relationship_with,relation_with,in_relation_to,'
            'in_relation_with,associated,associated_with,associate_with,associates_with,association,'
            'association_with,connected,connected_to,connected_with,connects_to,connects_with,connect_to,'
            'connection,connection_to,connection_with,connects,linked,linked_to,linked_with,links_to,link,'
            'link_to,links,see_also,mentioned,mentioned_with,mentioned_together,co_mentioned,co_mentioned_with,'
            'co_occurs_with,cooccurs_with,co_occurs,occurs_with,appears_with,appear_with,appeared_with,'
            'appears_together,appears_alongside,appears_in_context_of,in_context_of,context,pertains_to,'
            'pertain_to,pertaining_to,concerning,regarding,in_regard_to,has_to_do_with,to_do_with,relevant_to,'
            'relevant,is_relevant,has_relation,has_relationship,has_relation_with,has_connection,has_link,'
            'has_association,has,have,had,is,was,are,were,be,been,does,do,did,and,or,of,with,to,in,on,at,for,by,'
            'from,as,other,others,misc,something,unknown,none,null,n_a,na,undefined,unspecified,predicate,'
            'relation_type,relationship_type,attribute,fact,same_sentence,same_document,same_text,same_passage,'
            'context_of,described_with,discussed_with,listed_with,referenced_with,reference,mentioned_in_context,'
            'has_something_to_do_with'
        ),
        (
            'de', 'vague_predicate',
            'verbunden_mit,verwandt_mit_thema,steht_in_beziehung_zu,bezieht_sich_auf,in_verbindung_mit,'
            'hat_beziehung_zu,hängt_zusammen_mit,ist,sind,sein,hat,haben,hatte,wird,wurde,mit,von,und'
        ),
        (
            'fr', 'vague_predicate',
            'lié_à,liée_à,est_lié_à,est_liée_à,associé_à,en_relation_avec,en_rapport_avec,relatif_à,concerne,'
            'est,sont,était,être,a,ont,avait,avoir,avec,de,et'
        ),
        (
            'es', 'vague_predicate',
            'relacionado_con,relacionada_con,está_relacionado_con,asociado_con,asociado_a,vinculado_a,'
            'conectado_con,tiene_relación_con,es,está,ser,estar,tiene,tener,con,de,y'
        ),
        (
            'it', 'vague_predicate',
            'correlato_a,collegato_a,associato_a,relativo_a,legato_a,in_relazione_con,è,essere,ha,hanno,'
            'avere,con,di,e'
        ),
        (
            'pt', 'vague_predicate',
            'relacionado_a,relacionado_com,associado_a,ligado_a,vinculado_a,conectado_a,é,ser,estar,tem,ter,'
            'com,de,e'
        ),
        (
            'nl', 'vague_predicate',
            'gerelateerd_aan,verbonden_met,geassocieerd_met,heeft_te_maken_met,zijn,heeft,hebben,had,van,en'
        ),
        ('zh', 'vague_predicate', '相关,有关,关联,联系,与_有关,相關,有關,關聯,是,有,的,和'),
        ('ja', 'vague_predicate', '関連,関係,関連する,関係する,に関連する,に関係する,関連がある,である,です,だ,ある,いる,の,と'),
        ('ko', 'vague_predicate', '관련,관계,연관,관련있다,관련된,연관된,이다,있다,의,와,과'),
        ('ar', 'vague_predicate', 'مرتبط_ب,متعلق_ب,له_علاقة_ب,على_صلة_ب,متعلق,مرتبط,هو,هي,كان,له,مع,من,و'),
        (
            'ru', 'vague_predicate',
            'связан_с,связана_с,связано_с,относится_к,имеет_отношение_к,это,есть,был,была,имеет,с,и'
        )
) as l (language, kind, words)
cross join string_to_table(l.words, ',') as w (word);

-- Languages that write without blanks: the determiners joined to the roles, and pairs of pronouns.
insert into graphrag.gate_word (language, kind, word)
select distinct d.language, 'relative', d.word || r.word
from graphrag.gate_word as d
join graphrag.gate_word as r on r.language = d.language and r.kind = 'role'
where d.language in ('zh', 'ja', 'ko') and d.kind = 'determiner'
on conflict do nothing;
-- There a role is nobody's name, and no capital letter could make it one.
insert into graphrag.gate_word (language, kind, word)
select distinct r.language, 'relative', r.word
from graphrag.gate_word as r
where r.language in ('zh', 'ja', 'ko') and r.kind = 'role'
on conflict do nothing;
insert into graphrag.gate_word (language, kind, word)
select c.language, 'conjunctive', p.word || j.word || q.word
from (
    values
        ('zh', '和,与,與,跟,及', '他,她,它,我,你,他们,她们,我们,你们'),
        ('ja', 'と,および', '彼,彼女,私,僕,俺,あなた,彼ら'),
        ('ko', '와 ,과 ,와,과, 및 ', '그,그녀,나,너,우리,그들')
) as c (language, joins, persons)
cross join string_to_table(c.joins, ',') as j (word)
cross join string_to_table(c.persons, ',') as p (word)
cross join string_to_table(c.persons, ',') as q (word)
where p.word <> q.word
on conflict do nothing;
